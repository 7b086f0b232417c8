#pragma once
// A student's formula: assignments of expressions in the language of `tapehead explain`.
#include "../../explain/expression.hpp"

namespace tapehead {

struct Assignment {
  std::string name, expression;
};
using Formula = std::vector<Assignment>;

/// `s = sum(dy * y); dx = y * (dy - s)`. Throws UsageError for anything else.
Formula parse_formula(const std::string& text);

/// Whole numbers that have a name, such as `rows`.
using Sizes = std::vector<std::pair<std::string, Index>>;

/// The text with every name of a size replaced by its number.
std::string with_sizes(const std::string& text, const Sizes& sizes);

/// The given values, and those of the assignments after them, each of which may use what is before
/// it. Throws UsageError where one can't be read or uses a name that isn't there, and the ops' own
/// errors; either names the assignment. No value may have more than a thousand elements, so that
/// whoever wrote the formula decides nothing about this machine's memory.
Variables evaluate(const Formula& formula, const Variables& given);

}  // namespace tapehead
