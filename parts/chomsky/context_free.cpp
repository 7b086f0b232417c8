// Tasks that need a stack: deterministic context-free languages.
#include "expressions.hpp"
#include "strings.hpp"

#include <algorithm>

namespace tapehead::chomsky {
namespace {

constexpr const char* actions = "POI";  // pop, push 0, push 1

/// Draws a stack, from the bottom to the top, and what to do with it. Both have any length.
std::string draw_stack(Random& random, Index length) {
  if (length == 1) return draw_bits(random, 1);
  const Index height = 1 + random.below(length - 1);
  return draw_bits(random, height) + random_string(random, length - height, actions);
}

/// Returns the final stack from the top to the bottom, and the end. Popping an empty stack does
/// nothing.
std::optional<std::string> manipulate(const std::string& input) {
  const std::size_t height = std::min(input.find_first_of(actions), input.size());
  std::string stack = input.substr(0, height);
  const std::string steps = input.substr(height);
  if (!are_bits(stack) || !(steps.empty() || consists_of(steps, actions))) return {};
  for (const char step : steps) {
    if (step != 'P')
      stack += step == 'O' ? '0' : '1';
    else if (!stack.empty())
      stack.pop_back();
  }
  return std::string(stack.rbegin(), stack.rend()) + '.';
}

std::optional<std::string> reverse(const std::string& input) {
  if (!are_bits(input)) return {};
  return std::string(input.rbegin(), input.rend());
}

std::string draw_brackets(Random& random, Index length) {
  return random_expression(random, length, "+-*");
}

std::optional<std::string> evaluate_brackets(const std::string& input) {
  const std::optional<int> value = value_of(input);
  if (!value) return {};
  return std::to_string(*value);
}

/// Draws an equation such as `(1+x)=3`: an expression in which x replaces a digit, and its value.
/// x occurs once and isn't multiplied, so there is one solution.
std::string draw_equation(Random& random, Index length) {
  if (length < 3) return std::string(static_cast<std::size_t>(length), '0');
  std::string text = random_expression(random, length - 2, "+-");
  const int value = *value_of(text);
  auto place = static_cast<std::size_t>(random.below(length - 2));
  while (std::string(digits).find(text[place]) == std::string::npos)
    place = (place + 1) % text.size();
  text[place] = 'x';
  return text + '=' + std::to_string(value);
}

std::optional<std::string> solve_equation(const std::string& input) {
  if (input == "0" || input == "00") return "0";
  const std::size_t equals = input.find('=');
  if (input.size() < 3 || equals != input.size() - 2) return {};
  const std::string left = input.substr(0, equals), right = input.substr(equals + 1);
  std::string solutions;
  for (int x = 0; x < modulus; ++x) {
    const std::optional<int> value = value_of(left, x);
    if (value && std::to_string(*value) == right) solutions += std::to_string(x);
  }
  if (solutions.size() != 1) return {};
  return solutions;
}

}  // namespace

std::vector<StringTask> context_free_tasks() {
  return {{"stack-manipulation", "push on and pop from a stack, and print it from the top",
           Level::context_free, "01POI.", "bits of a stack, then P (pop), O (push 0), I (push 1)",
           one_more_output, draw_stack, manipulate},
          {"reverse-string", "repeat zeros and ones in reverse", Level::context_free, "01",
           "zeros and ones", as_many_outputs, draw_bits, reverse},
          {"modular-brackets", "evaluate an expression with brackets modulo 5", Level::context_free,
           "01234+-*()", "an expression with brackets, such as ((-2)*3)", one_output, draw_brackets,
           evaluate_brackets},
          {"solve-equation", "find the x that solves an equation modulo 5", Level::context_free,
           "01234+-()x=", "an equation for x, such as (x+3)=1", one_output, draw_equation,
           solve_equation}};
}

}  // namespace tapehead::chomsky
