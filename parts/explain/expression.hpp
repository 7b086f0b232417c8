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
  std::string name;         ///< name of the variable or op; for a number, its digits
  Tensor value;             ///< value of a variable or number, f64
  std::vector<int> inputs;  ///< input lines of an op
  /// Computes the op's result from its inputs, with the options written in the expression.
  std::function<Tensor(const std::vector<Tensor>&)> run = {};
  /// Whether each input of the op is a mask, ids or targets, which must be integers.
  std::vector<bool> integer_inputs = {};
};
using Program = std::vector<ProgramLine>;

/// Variables by name, in the order of the program's lines.
using Variables = std::vector<std::pair<std::string, Tensor>>;

/// Parses a variable's value: a number, a vector [1, 2], a matrix [1, 2; 3, 4], random numbers
/// randn(3, 4) with this seed, or a file x.npy. Throws UsageError with the variable and the error.
Tensor parse_value(const std::string& name, const std::string& text, std::uint64_t seed);

/// Return whether a name can begin with a character, or contain it.
bool is_name_start(char c);
bool is_name_char(char c);
bool is_name(const std::string& text);

/// Splits NAME=VALUE. Throws UsageError for other text.
std::pair<std::string, std::string> name_and_value(const std::string& word);

/// Returns the variables that the expression uses. Throws the errors of parse_expression.
Variables used_variables(const std::string& text, const Variables& variables);

/// Parses an expression into lines: variables first, then each op after its inputs, the result
/// last. The grammar has + - * / ^, ** for ^, @ for matmul, .T, parentheses, and calls of ops by
/// name with their options. ^ is right-associative and binds tighter than unary minus. Throws
/// UsageError with the position of a syntax error, or the name of a variable that has no value or
/// isn't used.
Program parse_expression(const std::string& text, const Variables& variables);

/// Computes an op line from the values of all earlier lines.
Tensor run_line(const ProgramLine& line, const std::vector<Tensor>& values);

}  // namespace tapehead
