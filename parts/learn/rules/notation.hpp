#pragma once
// The notation in which `tapehead explain` displays backward functions, such as
// `dx = y (dy - sum(dy y))`, converted to the syntax of expressions.
#include <string>
#include <vector>

namespace tapehead {

/// How to read the notation where it is ambiguous.
struct Reading {
  bool matmul = false;    ///< factors without an operator between them are multiplied as matrices
  bool row_sums = false;  ///< sum and mean without axes are over each row, and keep the axis
};

/// Converts an expression: `a b` and `a(b)` are products if a is a known name, `a^T` is `a.T`,
/// `x > 0` is a mask, and `a where c, b elsewhere` selects. Doesn't change other expressions.
std::string from_notation(const std::string& text, const std::vector<std::string>& known,
                          Reading reading);

}  // namespace tapehead
