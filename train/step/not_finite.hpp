#pragma once
#include "step.hpp"

#include <optional>
#include <string>

namespace tapehead {

/// A listener that finds the cause of non-finite values: the first op with a non-finite result and
/// finite inputs. If the values came from outside, it is the first op that read them. A constant of
/// -inf, such as a mask, is reported only if there is no other cause.
class FiniteCheck : public TapeListener {
 public:
  struct Finding {
    enum class How { made, met, made_in_backward } how;
    const char *op, *module;
    std::string what;  ///< "nan" or "inf"
  };
  /// Returns the likely cause of a non-finite loss (if `of_loss`) or gradient; none if all values
  /// are finite.
  std::optional<Finding> cause(bool of_loss) const;

 private:
  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) override;
  void differentiated(std::uint64_t, const char* op, const Tensor& dy, const Grads& grads) override;

  std::optional<Finding> made_, met_, made_in_backward_;  // the first finding of each kind
};

/// Returns "nan" or "inf", whichever occurs first in x. Empty if all elements are finite, for
/// integers and for an empty handle.
std::string non_finite_kind(const Tensor& x);
/// Returns whether no element is inf or nan. True for integers and for an empty handle.
bool is_finite(const Tensor& x);
/// Returns the first parameter with a non-finite value, or null.
Parameter* first_non_finite_parameter(Module& model);

/// Explains why training_step with these arguments has a non-finite loss or gradient, by replaying
/// it without changing anything. Returns for example "log in blocks.0.mlp made inf from finite
/// inputs, in shard 2", or names the parameter or input that was non-finite before the step.
std::string explain_non_finite(Module& model, const Batch& batch, std::uint64_t seed, Index step,
                               Index shards, StepOptions options = {});

}  // namespace tapehead
