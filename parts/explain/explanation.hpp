#pragma once
// What happens in an expression, forward and backward: all that `tapehead explain` shows.
#include "../../train/files/json.hpp"
#include "../../train/trainer.hpp"
#include "expression.hpp"
#include "steps.hpp"

#include <string>
#include <vector>

namespace tapehead {

struct Explanation : Explained {
  std::string expression;
  std::string tape;  ///< as the tape prints itself
  bool has_primes =
      false;  ///< a rule has names with a prime: its own, where variables have them, too
  Variables direction = {};  ///< of the tangents; empty where there are none
};

/// Computes the program in f64 on a tape that watches every line that depends on a variable, and
/// differentiates sum(dy * result); dy is ones if null. A line is a step: its gradient is null
/// where it depends on no variable, or is one that is only used as whole numbers, such as a mask;
/// its difference is null for the result, and where the elements are too many: the later lines are
/// evaluated again with each element moved, at first by 1e-3 max(1, |value|). Without `measured` no
/// difference is taken. Throws UsageError where the result depends on no variable or isn't made of
/// floats, and the ops' own errors.
Explanation explain(const std::string& expression, const Program& program, const Tensor& dy,
                    bool measured = true);

/// Gives each line its tangent: its derivative along a direction of the variables, forward. One
/// that the direction doesn't name stays as it is; a number is for all elements of a variable.
/// Throws UsageError for a direction that doesn't fit.
void add_tangents(Explanation& explanation, const Program& program, const Variables& direction);

/// What is special about an op at these inputs: `relu at 0: the two slopes are 0 and 1, ours is 0`.
/// Empty where nothing is.
std::string note_of(const ProgramLine& op, const std::vector<Tensor>& inputs, const Tensor& value);

/// A small tensor as the rows of a matrix, a large one as what its elements are like.
std::vector<std::string> matrix_lines(const Tensor& x);

/// What a reader has to know besides, in paragraphs: what a tangent is, and what each way costs,
/// where there are tangents; and what a prime in a rule means, where one has it.
std::vector<std::string> notes_of(const Explanation& explanation);

Json to_json(const Explanation& explanation);
/// For a terminal: a table where all values are numbers, else a paragraph for each line.
std::string to_text(const Explanation& explanation, int width);

/// A file that `explain --out FILE.ENDING` writes.
struct ExplainFormat {
  /// An example's pass through a run's model.
  struct OfRun {
    std::string title, folder;
    LoadedRun& run;
    const Example& example;
    bool all_checkpoints;             ///< the user hasn't chosen one
    std::function<LoadedRun()> load;  ///< loads the same run again
  };
  std::string ending, what;  ///< html, a page
  std::function<std::string(const Explanation&)> of_expression;
  std::function<std::string(const OfRun&)> of_run;
};

}  // namespace tapehead
