// Tasks that a finite automaton can do: one pass over the input, with a fixed number of states.
#include "expressions.hpp"
#include "strings.hpp"

#include <algorithm>

namespace tapehead::chomsky {
namespace {

/// Returns whether 01 and 10 occur an even (0) or odd number of times (1). Each occurrence changes
/// the bit, so only the ends matter.
std::optional<std::string> even_pairs(const std::string& input) {
  if (!are_bits(input)) return {};
  return input.front() == input.back() ? "0" : "1";
}

/// Draws for example `1 + 2 * 3`: digits with operators between them.
std::string draw_arithmetic(Random& random, Index length) {
  std::string text = random_string(random, 1, digits);
  while (static_cast<Index>(text.size()) + 2 <= length)
    text += random_string(random, 1, "+-*") + random_string(random, 1, digits);
  return text;
}

std::optional<std::string> arithmetic(const std::string& input) {
  if (input.size() % 2 == 0) return {};
  for (std::size_t i = 0; i < input.size(); i += 2)
    if (std::string(digits).find(input[i]) == std::string::npos) return {};
  const std::optional<int> value = value_of(input);
  if (!value) return {};
  return std::to_string(*value);
}

std::optional<std::string> parity(const std::string& input) {
  if (!are_bits(input)) return {};
  return std::count(input.begin(), input.end(), '1') % 2 == 0 ? "0" : "1";
}

std::string draw_steps(Random& random, Index length) {
  return random_string(random, length, "<=>");
}

/// Returns the last place of a walk on a circle of five places.
std::optional<std::string> navigate(const std::string& input) {
  if (!consists_of(input, "<=>")) return {};
  const auto right = std::count(input.begin(), input.end(), '>'),
             left = std::count(input.begin(), input.end(), '<');
  return std::to_string(((right - left) % modulus + modulus) % modulus);
}

}  // namespace

std::vector<StringTask> regular_tasks() {
  return {{"even-pairs", "predict whether 01 and 10 occur an odd number of times", Level::regular,
           "01", "zeros and ones", one_output, draw_bits, even_pairs},
          {"modular-arithmetic", "evaluate an expression modulo 5", Level::regular, "01234+-*",
           "digits 0 to 4 with +, - or * between them", one_output, draw_arithmetic, arithmetic},
          {"parity-check", "predict whether the number of ones is odd", Level::regular, "01",
           "zeros and ones", one_output, draw_bits, parity},
          {"cycle-navigation", "find the last place of a walk on a circle of five", Level::regular,
           "01234<=>", "steps < (left), > (right) or = (stay)", one_output, draw_steps, navigate}};
}

}  // namespace tapehead::chomsky
