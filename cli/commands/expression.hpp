#pragma once
// A scalar expression as a list of ops, for `tapehead explain`.
#include "../../core/ops.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// A variable, a number, or an op on earlier lines.
struct ProgramLine {
  enum class Kind { variable, number, op } kind;
  std::string name;         ///< of the variable or op; the number as it was written
  double value = 0;         ///< of a variable or number
  std::vector<int> inputs;  ///< of an op: earlier lines
};
using Program = std::vector<ProgramLine>;

/// Names and values, in the order of the program's lines.
using Variables = std::vector<std::pair<std::string, double>>;

/// Variables come first, then each op after its inputs; the last line is the result. The grammar
/// has + - * / ^, parentheses, and calls of the ops on one or two numbers by name; ^ is
/// right-associative and binds tighter than a minus before it. Throws UsageError that shows where
/// the expression is wrong, and for a variable that has no value or isn't used.
Program parse_expression(const std::string& text, const Variables& variables);

/// Names of the ops that an expression may call.
std::vector<std::string> expression_functions();

/// The value of an op line, f64, from those of all lines before it.
Tensor run_line(const ProgramLine& line, const std::vector<Tensor>& values);

/// d result / d line, by central differences of fourth order: the later lines are evaluated again
/// with the line's value moved by up to 2 steps of 1e-3 max(1, |value|).
double difference_quotient(const Program& program, int line, const std::vector<Tensor>& values);

}  // namespace tapehead
