#pragma once
// Compares two tapes step by step. Finds where the values first differ in the forward pass, and
// where the gradients first differ in the backward pass.
#include "../explain/steps.hpp"
#include "tensors.hpp"

#include <optional>

namespace tapehead {

/// Corresponding steps of tapes A and B; -1 if only the other tape has the step.
struct AlignedSteps {
  int a = -1, b = -1;
};

/// Aligns the steps of two tapes. If both have the same ops on the same inputs, steps correspond by
/// number. Otherwise:
/// - The results, which are last, correspond.
/// - In forward order, variables and parameters correspond by name, numbers and constants by value.
///   Ops correspond if they are equal, in the same module, and have corresponding inputs.
/// - In backward order, the inputs of corresponding equal ops correspond.
/// Returns rows in the order of tape A. A step that only B has comes before B's next paired step.
std::vector<AlignedSteps> align(const std::vector<ExplainedStep>& a,
                                const std::vector<ExplainedStep>& b);

struct ComparedStep : AlignedSteps {
  // `value` is set if both tapes have the step, `gradient` if both steps have a gradient.
  std::optional<TensorDifference> value = {}, gradient = {};

  bool is_pair() const { return a >= 0 && b >= 0; }
  bool value_differs() const { return value && !value->same(); }
  bool gradient_differs() const { return gradient && !gradient->same(); }
};

/// The first step at which two tapes differ, and the cause of the difference.
struct Divergence {
  enum class Cause {
    itself,  ///< the same op gives different results for equal inputs
    inputs,  ///< inputs of the op differ: variables, numbers or weights
    ops,     ///< different ops, or the same op applied to other steps
    order,   ///< for a gradient: equal terms are added in a different order
    start    ///< for a gradient: the initial gradients differ
  };
  int row = -1;  ///< row of the step; -1: the tapes don't differ
  Cause cause = Cause::itself;
  /// The ops that compute the step's value or send its gradient, in order.
  std::vector<std::string> ops_a = {}, ops_b = {};
  /// Rows of the steps from which `ops_a` and `ops_b` start: their inputs, or for a gradient, the
  /// steps whose gradients they use.
  std::vector<int> from_a = {}, from_b = {};
  std::vector<int> differing = {};  ///< for `inputs`: rows of the differing inputs
};

struct ComparedTapes {
  const Explained &a, &b;
  std::vector<ComparedStep> rows;  ///< aligned steps; the results are last
  Divergence value;                ///< first difference in the forward pass
  Divergence gradient;             ///< first difference in the backward pass

  const ComparedStep& result() const { return rows.back(); }
  /// Returns the step's name: `x`, `softmax 2` or `blocks.0.mlp/gelu`; `softmax 2 | div 5` if A and
  /// B differ.
  std::string name(int row) const;
  /// Return a sentence that explains why the values or gradients of the first differing step
  /// differ.
  std::string why_value() const;
  std::string why_gradient() const;
};

/// Compares tapes a and b, which must outlive the result.
ComparedTapes compare_tapes(const Explained& a, const Explained& b);

/// Adds the differences of each row and the first difference (null if none) to the document.
void add_json(Json& document, const ComparedTapes& tapes);

/// Formats a difference: `first value that differs: softmax 2[0, 1], by 1 ulp`, the element's exact
/// values in A and B, and the cause. `what` is the text before the colon.
std::string divergence_text(const ComparedTapes& tapes, const char* what,
                            const Divergence& divergence, int width);

}  // namespace tapehead
