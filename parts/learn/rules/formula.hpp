#pragma once
// A student's formula: assignments whose expressions have the syntax of `tapehead explain`.
#include "../../explain/expression.hpp"
#include "notation.hpp"
#include "pieces.hpp"

namespace tapehead {

/// The assignment of an expression to a name.
struct Assignment {
  std::string name, expression;
};
using Formula = std::vector<Assignment>;

/// Parses assignments such as `s = sum(dy * y); dx = y * (dy - s)`, separated by semicolons, commas
/// or line ends. Throws UsageError for other text.
Formula parse_formula(const std::string& text);

/// Sizes of axes by name, such as `rows`.
using Sizes = std::vector<std::pair<std::string, Index>>;

/// Replaces the names of sizes in an expression by their numbers.
std::string with_sizes(const std::string& text, const Sizes& sizes);

/// Returns the given values, then the values of the assignments. An assignment may use all values
/// before it. `readings` says how to read the notation of each assignment. Throws UsageError for
/// syntax errors and unknown names, and the errors of ops; messages name the assignment. A value
/// may have at most a thousand elements, because formulas are untrusted input.
Variables evaluate(const Formula& formula, const Variables& given,
                   const std::vector<Reading>& readings = {});
/// Returns all ways to read a formula, the plainest first. Ambiguous products of the first six
/// assignments are read independently of each other.
std::vector<std::vector<Reading>> readings_of(const Formula& formula, const Variables& given);

}  // namespace tapehead
