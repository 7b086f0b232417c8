#pragma once
// What happens in an expression, forward and backward: all that `tapehead explain` shows.
#include "../../train/runs/json.hpp"
#include "expression.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tapehead {

/// What one use of a line's value sends back to it. A gradient is the sum of these.
struct Contribution {
  int line;            ///< that uses the value
  std::string op;      ///< of that line
  Tensor gradient;     ///< in the value's shape
  std::string summed;  ///< `axis 0`: over what it was summed, where the value was broadcast
};

struct ExplainedLine {
  std::string name;         ///< of the variable or op; a number as it was written
  std::vector<int> inputs;  ///< of an op: earlier lines
  std::string rule;         ///< of the op's gradient, from the table of ops
  Tensor value;
  Tensor gradient;  ///< of the result, weighted by dy; null: it depends on no variable, or is one
                    ///< that is only used as whole numbers, such as a mask
  std::vector<Contribution> contributions;  ///< in the order of the lines
  Tensor difference;  ///< the gradient by central differences; null: the result, or too many
  std::string note;   ///< what is special about the values: a kink, a pole, saturation
};

struct Explanation {
  std::string expression;
  std::vector<ExplainedLine> lines;
  std::string tape;  ///< as the tape prints itself
};

/// Computes the program in f64 on a tape that watches every line that depends on a variable, and
/// differentiates sum(dy * result); dy is ones if null. Throws UsageError where the result depends
/// on no variable or isn't made of floats, and the ops' own errors.
Explanation explain(const std::string& expression, const Program& program, const Tensor& dy);

/// d sum(dy * result) / d line, by central differences of fourth order: the later lines are
/// evaluated again with each element moved by up to 2 steps of 1e-3 max(1, |value|).
Tensor difference_quotients(const Program& program, int line, const std::vector<Tensor>& values,
                            const Tensor& dy);

/// What is special about an op at these inputs: `relu at 0: the two slopes are 0 and 1, ours is 0`.
/// Empty where nothing is.
std::string note_of(const ProgramLine& op, const std::vector<Tensor>& inputs, const Tensor& value);

Json to_json(const Explanation& explanation);
/// For a terminal: a table where all values are numbers, else a paragraph for each line.
std::string to_text(const Explanation& explanation, int width);

}  // namespace tapehead
