#pragma once
// The forward and backward pass through an expression, as `tapehead explain` shows it.
#include "../../train/files/json.hpp"
#include "../../train/trainer.hpp"
#include "expression.hpp"
#include "steps.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The forward and backward pass through an expression.
struct Explanation : Explained {
  std::string expression;
  std::string tape;          ///< the printed tape
  bool has_primes = false;   ///< whether a backward formula marks its own letters with a prime
  Variables direction = {};  ///< the variables' direction for tangents; empty: no tangents
};

/// Computes the program in f64 on a tape and differentiates sum(dy * result); a null dy means ones.
/// Each line becomes a step. A step has no gradient if it depends on no variable, or if ops use it
/// only as a mask, ids or targets. If `measured`, also computes finite differences, except for the
/// result and large tensors: perturbs each element, initially by 1e-3 max(1, |value|), and
/// evaluates the later lines again. Throws UsageError if the result depends on no variable or has
/// no float type, and the errors of the ops.
Explanation explain(const std::string& expression, const Program& program, const Tensor& dy,
                    bool measured = true);

/// Computes each line's tangent in forward mode: its derivative along a direction of the variables.
/// Variables without a direction stay constant; a number applies to all elements of a variable.
/// Throws UsageError if a direction's shape doesn't match.
void add_tangents(Explanation& explanation, const Program& program, const Variables& direction);

/// Returns a note on a special case of an op at these inputs, such as `relu at 0: the one-sided
/// derivatives are 0 and 1; the gradient uses 0`. Returns an empty text if there is none.
std::string note_of(const ProgramLine& op, const std::vector<Tensor>& inputs, const Tensor& value);

/// Formats a small tensor as rows of numbers, and a large one as statistics of its elements.
std::vector<std::string> matrix_lines(const Tensor& x);

/// Returns explanatory paragraphs: on tangents and the cost of forward and reverse mode, if the
/// explanation has tangents; on primes, if its formulas have any.
std::vector<std::string> notes_of(const Explanation& explanation);

Json to_json(const Explanation& explanation);
/// Formats the explanation: as a table if all values are scalars, else as a paragraph per line.
std::string to_text(const Explanation& explanation, int width);

/// A file format of `explain --out FILE.ENDING`.
struct ExplainFormat {
  /// One example's forward and backward pass through the model of a run.
  struct OfRun {
    std::string title, folder;
    LoadedRun& run;
    const Example& example;
    bool all_checkpoints;             ///< whether the user selected no checkpoint
    std::function<LoadedRun()> load;  ///< loads the run again
  };
  std::string ending, what;  ///< file extension and description: `html` and `a page`
  std::function<std::string(const Explanation&)> of_expression;
  std::function<std::string(const OfRun&)> of_run;
};

}  // namespace tapehead
