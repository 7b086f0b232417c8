#pragma once
#include "step.hpp"

#include <optional>
#include <string>

namespace tapehead {

/// Finds the op that made the first non-finite values: the first op whose result has some while its
/// inputs have none; or, where they came from outside, the first op that read them. A mask of -inf
/// is such a constant too, and is blamed only if nothing else can be.
class FiniteCheck : public TapeListener {
 public:
  struct Finding {
    enum class How { made, met, made_in_backward } how;
    const char *op, *module;
    std::string what;  ///< "nan" or "inf"
  };
  /// The likeliest cause of a non-finite loss or, unless `of_loss`, gradient. None where everything
  /// is finite.
  std::optional<Finding> cause(bool of_loss) const;

 private:
  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) override;
  void differentiated(std::uint64_t, const char* op, const Tensor& dy, const Grads& grads) override;

  std::optional<Finding> made_, met_, made_in_backward_;  // the first of each
};

/// "nan" or "inf", whichever comes first among the elements; empty where all are finite, for
/// integers and for an empty handle.
std::string non_finite_kind(const Tensor& x);
/// Whether no element is infinite or nan; true for integers and for an empty handle.
bool is_finite(const Tensor& x);
/// The first parameter with a non-finite value; null where there is none.
Parameter* first_non_finite_parameter(Module& model);

/// Why the step with these arguments of training_step has a non-finite loss or gradient.
/// Non-finite values are located by replaying the step, which changes nothing: "log in blocks.0.mlp
/// made inf from finite numbers, in shard 2", or the parameter or the input that had such values
/// before the step.
std::string explain_non_finite(Module& model, const Batch& batch, std::uint64_t seed, Index step,
                               Index shards, StepOptions options = {});

}  // namespace tapehead
