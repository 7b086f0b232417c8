#pragma once
#include "../step.hpp"

#include <optional>
#include <string>

namespace tapehead {

/// Finds the op that made numbers that aren't finite: of those told of, the first whose result has
/// some while its inputs have none; or, where such numbers came from outside, the first to have met
/// them. A mask of -inf, which is such a constant, is no suspect while somebody else is.
class FiniteCheck : public TapeListener {
 public:
  struct Finding {
    enum class How { made, met, made_in_backward } how;
    const char *op, *module;
    std::string what;  ///< "nan" or "inf"
  };
  /// The likeliest cause of what isn't finite: the loss, or else its gradient. None where
  /// everything is finite.
  std::optional<Finding> cause(bool of_loss) const;

 private:
  void computed(const char* op, const Tensor& y, const std::vector<Tensor>& inputs) override;
  void differentiated(const char* op, const Tensor& dy, const Grads& grads) override;

  std::optional<Finding> made_, met_, made_in_backward_;  // the first of each
};

/// Whether no element is infinite or nan; always, of integers and of no tensor.
bool is_finite(const Tensor& x);
/// The first parameter with a value that isn't finite; null where there is none.
Parameter* first_not_finite(Module& model);

/// Why the step that these arguments make, as training_step, has a loss or gradient that isn't
/// finite: computes it again, listening, and changes nothing. "log in blocks.0.mlp made inf of
/// finite numbers, in shard 2", or the parameter, or the input, that has had such numbers before.
std::string why_not_finite(Module& model, const Batch& batch, std::uint64_t seed, Index step,
                           Index shards, StepOptions options = {});

}  // namespace tapehead
