#pragma once
// Two tapes, step by step: where their values part on the way forward, and their gradients on the
// way back.
#include "../explain/steps.hpp"
#include "tensors.hpp"

#include <optional>

namespace tapehead {

/// A step of each; -1 where one tape has none that stands for the other's.
struct AlignedSteps {
  int a = -1, b = -1;
};

/// Where the tapes have the same ops on the same inputs, each step stands for that of its number.
/// Else the results, which are last, stand for each other, whatever made them. From the beginning,
/// variables and parameters stand for those of their names, numbers and constants for those of
/// their values, and ops for the same ops of the same modules on inputs that stand for each other.
/// Then, from the end, the inputs of the same ops, in their order, where the ops stand for each
/// other. In the order of the first tape, with steps of the second alone before the next that both
/// have.
std::vector<AlignedSteps> align(const std::vector<ExplainedStep>& a,
                                const std::vector<ExplainedStep>& b);

struct ComparedStep : AlignedSteps {
  // Of steps that both tapes have; gradients where both have one.
  std::optional<TensorDifference> value = {}, gradient = {};

  bool is_pair() const { return a >= 0 && b >= 0; }
  bool value_differs() const { return value && !value->same(); }
  bool gradient_differs() const { return gradient && !gradient->same(); }
};

/// The first step at which two tapes differ, and why there.
struct Divergence {
  enum class Cause {
    itself,  ///< the same op does something else with what is the same
    inputs,  ///< what it takes differs: variables, numbers, weights
    ops,     ///< other ops make it of what is the same, or the same op of other inputs
    order,   ///< of a gradient: the same terms, added in another order
    start    ///< of a gradient: backward begins with another
  };
  int row = -1;  ///< -1: they don't differ
  Cause cause = Cause::itself;
  /// The ops that make the value, or send the gradient; in the order in which they do.
  std::vector<std::string> ops_a = {}, ops_b = {};
  std::vector<int> from_a = {}, from_b = {};  ///< rows that these begin with
  std::vector<int> differing = {};            ///< of `inputs`: the rows that differ
};

struct ComparedTapes {
  const Explained &a, &b;
  std::vector<ComparedStep> rows;  ///< the last are the results
  Divergence value;                ///< of the first op, going forward
  Divergence gradient;             ///< of the first step, going backward

  const ComparedStep& result() const { return rows.back(); }
  /// `x`, `softmax 2`, `blocks.0.mlp/gelu`; `softmax 2 | div 5` where the two are called otherwise.
  std::string name(int row) const;
  /// Why the values, or the gradients, part where they do, in a sentence.
  std::string why_value() const;
  std::string why_gradient() const;
};

/// Of tapes that outlive the result.
ComparedTapes compare_tapes(const Explained& a, const Explained& b);

/// Adds what differs in each row, and where they part, which is null where they don't.
void add_json(Json& document, const ComparedTapes& tapes);

/// `first value that differs: softmax 2[0, 1], by 1 ulp`, the element of both in full, and why.
/// `what` is what stands before the colon.
std::string divergence_text(const ComparedTapes& tapes, const char* what,
                            const Divergence& divergence, int width);

}  // namespace tapehead
