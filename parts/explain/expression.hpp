#pragma once
// An expression over tensors as a list of ops, for `tapehead explain`.
#include "../../core/ops.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// A variable, a number, or an op on earlier lines.
struct ProgramLine {
  enum class Kind { variable, number, op } kind;
  std::string name;         ///< of the variable or op; the number as it was written
  Tensor value;             ///< of a variable or number, f64
  std::vector<int> inputs;  ///< of an op: earlier lines
  /// Of an op: its result from its inputs, with the options that the expression gave it.
  std::function<Tensor(const std::vector<Tensor>&)> run = {};
  /// For each input of an op: whether it is a mask, ids or targets, which must be integers.
  std::vector<bool> integer_inputs = {};
};
using Program = std::vector<ProgramLine>;

/// Names and values, in the order of the program's lines.
using Variables = std::vector<std::pair<std::string, Tensor>>;

/// What a variable is given as: a number, a vector [1, 2], a matrix [1, 2; 3, 4], random numbers
/// randn(3, 4), or a file x.npy. Throws UsageError that names the variable and what is wrong.
Tensor parse_value(const std::string& name, const std::string& text, std::uint64_t seed);

/// What a name begins with, and goes on with.
bool is_name_start(char c);
bool is_name_char(char c);
bool is_name(const std::string& text);

/// The parts of NAME=VALUE. Throws UsageError for another word.
std::pair<std::string, std::string> name_and_value(const std::string& word);

/// Those of the variables that the expression uses. Throws as parse_expression does.
Variables used_variables(const std::string& text, const Variables& variables);

/// Variables come first, then each op after its inputs; the last line is the result. The grammar
/// has + - * / ^, ** for ^, @ for products of matrices, .T, parentheses, and calls of the ops by
/// name with their options; ^ is right-associative and binds tighter than a minus before it. Throws
/// UsageError that shows where the expression is wrong, and for a variable that has no value or
/// isn't used.
Program parse_expression(const std::string& text, const Variables& variables);

/// The value of an op line from those of all lines before it.
Tensor run_line(const ProgramLine& line, const std::vector<Tensor>& values);

}  // namespace tapehead
