#pragma once
// Compares two tapes step by step, to find where their values first differ in the forward pass, and
// their gradients in the backward pass.
#include "../explain/steps.hpp"
#include "tensors.hpp"

#include <optional>

namespace tapehead {

/// A pair of corresponding steps; -1 if only one tape has the step.
struct AlignedSteps {
  int a = -1, b = -1;
};

/// Aligns the steps of two tapes. If both have the same ops on the same inputs, steps correspond by
/// number. Otherwise:
/// - The results, which are last, correspond.
/// - Forward, variables and parameters correspond by name, numbers and constants by value, and ops
///   if the same op of the same module has corresponding inputs.
/// - Backward, the inputs of corresponding equal ops correspond in order.
/// Returns pairs in the order of the first tape; a step only in the second comes before its next
/// pair.
std::vector<AlignedSteps> align(const std::vector<ExplainedStep>& a,
                                const std::vector<ExplainedStep>& b);

struct ComparedStep : AlignedSteps {
  // Set for a pair; the gradient only if both steps have one.
  std::optional<TensorDifference> value = {}, gradient = {};

  bool is_pair() const { return a >= 0 && b >= 0; }
  bool value_differs() const { return value && !value->same(); }
  bool gradient_differs() const { return gradient && !gradient->same(); }
};

/// The first step at which two tapes differ, and the cause.
struct Divergence {
  enum class Cause {
    itself,  ///< the same op with equal inputs gives a different result
    inputs,  ///< its inputs differ: variables, numbers or weights
    ops,     ///< different ops, or the same op applied to other steps
    order,   ///< of a gradient: equal terms added in a different order
    start    ///< of a gradient: a different initial gradient
  };
  int row = -1;  ///< -1: they don't differ
  Cause cause = Cause::itself;
  /// The ops that compute the value or send the gradient, in order.
  std::vector<std::string> ops_a = {}, ops_b = {};
  std::vector<int> from_a = {}, from_b = {};  ///< rows of these ops' inputs
  std::vector<int> differing = {};            ///< for `inputs`: the rows that differ
};

struct ComparedTapes {
  const Explained &a, &b;
  std::vector<ComparedStep> rows;  ///< the last are the results
  Divergence value;                ///< first difference in the forward pass
  Divergence gradient;             ///< first difference in the backward pass

  const ComparedStep& result() const { return rows.back(); }
  /// Returns `x`, `softmax 2` or `blocks.0.mlp/gelu`; `softmax 2 | div 5` if the names differ.
  std::string name(int row) const;
  /// Returns why the values or gradients differ at that step, in a sentence.
  std::string why_value() const;
  std::string why_gradient() const;
};

/// Compares tapes, which must outlive the result.
ComparedTapes compare_tapes(const Explained& a, const Explained& b);

/// Adds to `document` the differences of each row, and the first difference or null.
void add_json(Json& document, const ComparedTapes& tapes);

/// Returns `first value that differs: softmax 2[0, 1], by 1 ulp`, both values of the element in
/// full, and the cause. `what` is the text before the colon.
std::string divergence_text(const ComparedTapes& tapes, const char* what,
                            const Divergence& divergence, int width);

}  // namespace tapehead
