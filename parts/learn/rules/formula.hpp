#pragma once
// A student's formula: assignments of expressions in the syntax of `tapehead explain`.
#include "../../explain/expression.hpp"

namespace tapehead {

/// The assignment of an expression to a name.
struct Assignment {
  std::string name, expression;
};
using Formula = std::vector<Assignment>;

/// Parses `s = sum(dy * y); dx = y * (dy - s)`. Throws UsageError for anything else.
Formula parse_formula(const std::string& text);

/// Named sizes, such as `rows`.
using Sizes = std::vector<std::pair<std::string, Index>>;

/// Replaces the name of each size in a text by its number.
std::string with_sizes(const std::string& text, const Sizes& sizes);

/// Evaluates a formula: returns the given values, followed by the values of the assignments. Each
/// assignment may use all values before it. Throws UsageError for syntax errors and unknown names,
/// and the ops' own errors; both name the assignment. A value may have at most a thousand elements,
/// because formulas are untrusted input.
Variables evaluate(const Formula& formula, const Variables& given);

}  // namespace tapehead
