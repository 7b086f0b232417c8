#pragma once
// An expression over tensors as a list of ops, for `tapehead explain`.
#include "../../core/ops.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// A variable, a number, or an op applied to earlier lines.
struct ProgramLine {
  enum class Kind { variable, number, op } kind;
  std::string name;         ///< name of the variable or op; for a number, its text
  Tensor value;             ///< value of a variable or number, f64
  std::vector<int> inputs;  ///< input lines of an op
  /// Computes an op's result from its inputs, with the expression's options.
  std::function<Tensor(const std::vector<Tensor>&)> run = {};
  /// For each input of an op: whether it is a mask, ids or targets, which must be integers.
  std::vector<bool> integer_inputs = {};
};
using Program = std::vector<ProgramLine>;

/// Variables by name, in the order of the program's lines.
using Variables = std::vector<std::pair<std::string, Tensor>>;

/// Parses a variable's value: a number, a vector [1, 2], a matrix [1, 2; 3, 4], random numbers
/// randn(3, 4), or a file x.npy. Throws UsageError that names the variable and the fault.
Tensor parse_value(const std::string& name, const std::string& text, std::uint64_t seed);

/// Return whether a character can start a name, or can be in a name.
bool is_name_start(char c);
bool is_name_char(char c);
bool is_name(const std::string& text);

/// Splits NAME=VALUE. Throws UsageError for other text.
std::pair<std::string, std::string> name_and_value(const std::string& word);

/// Returns the variables that the expression uses. Throws as parse_expression does.
Variables used_variables(const std::string& text, const Variables& variables);

/// Parses an expression into lines: variables first, then each op after its inputs, the result
/// last. The grammar has + - * / ^, ** for ^, @ for matmul, .T, parentheses, and calls of the ops
/// by name with their options. ^ is right-associative and binds tighter than unary minus. Throws
/// UsageError that shows where the expression is wrong, and for a variable that has no value or
/// isn't used.
Program parse_expression(const std::string& text, const Variables& variables);

/// Computes an op line from the values of all earlier lines.
Tensor run_line(const ProgramLine& line, const std::vector<Tensor>& values);

}  // namespace tapehead
