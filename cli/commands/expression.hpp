#pragma once
// A small expression of numbers and variables, as a list of ops: what `tapehead explain` explains.
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

/// Names and values, in the order in which they are to stand.
using Variables = std::vector<std::pair<std::string, double>>;

/// Variables first, then each op after its inputs; the last line is the result. Knows + - * / ^,
/// where ^ binds tighter than a minus before it and to the right, parentheses, and by name the ops
/// on one number or two. Throws UsageError that shows where the expression is wrong, and for a
/// variable that has no value, or that isn't used.
Program parse_expression(const std::string& text, const Variables& variables);

/// Names of the ops that an expression may call.
std::vector<std::string> expression_functions();

/// The value of an op line, f64, from those of all lines before it.
Tensor run_line(const ProgramLine& line, const std::vector<Tensor>& values);

/// d result / d line, by central differences of fourth order: the lines after it are run again with
/// its value moved by up to 2 steps of 1e-3 max(1, |value|).
double difference_quotient(const Program& program, int line, const std::vector<Tensor>& values);

}  // namespace tapehead
