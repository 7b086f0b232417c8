#include "expressions.hpp"
#include "strings.hpp"

namespace tapehead::chomsky {
namespace {

/// A recursive descent parser that evaluates. After an error, `failed` is set, and values mean
/// nothing.
struct Evaluator {
  const std::string& text;
  std::optional<int> x;
  std::size_t at = 0;
  bool failed = false;

  bool accept(char c) {
    const bool found = at < text.size() && text[at] == c;
    at += found ? 1 : 0;
    return found;
  }

  int sum() {
    int value = product();
    while (!failed) {
      if (accept('+'))
        value = (value + product()) % modulus;
      else if (accept('-'))
        value = (value + modulus - product()) % modulus;
      else
        break;
    }
    return value;
  }

  int product() {
    int value = factor();
    while (!failed && accept('*')) value = value * factor() % modulus;
    return value;
  }

  int factor() {
    if (accept('-')) return (modulus - factor()) % modulus;
    if (accept('(')) {
      const int value = sum();
      failed = failed || !accept(')');
      return value;
    }
    if (x && accept('x')) return *x;
    failed = failed || at == text.size() || text[at] < '0' || text[at] >= '0' + modulus;
    return failed ? 0 : text[at++] - '0';
  }
};

}  // namespace

std::optional<int> value_of(const std::string& expression, std::optional<int> x) {
  Evaluator evaluator{expression, x};
  const int value = evaluator.sum();
  if (evaluator.failed || evaluator.at != expression.size()) return {};
  return value;
}

std::string random_expression(Random& random, Index length, const std::string& operators) {
  if (length <= 4) {
    const std::string number = (length % 2 == 0 ? "-" : "") + random_string(random, 1, digits);
    return length <= 2 ? number : "(" + number + ")";
  }
  const Index left = 1 + random.below(length - 4);
  const std::string before = random_expression(random, left, operators);
  const std::string after = random_expression(random, length - 3 - left, operators);
  return "(" + before + random_string(random, 1, operators) + after + ")";
}

}  // namespace tapehead::chomsky
