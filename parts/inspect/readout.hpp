#pragma once
#include "../../nn/gpt.hpp"
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// Returns a run's GPT for experiments on the residual stream. Throws UsageError that names the
/// experiment and its requirements.
const GPT& require_residual_gpt(const TaskModel& model, const char* experiment);

/// Folds a norm into the weight (out, width) of the linear map after it, so that the map reads x
/// instead of norm(x). Includes the norm's gain and centring, which are linear, but not its scale.
/// Returns f64. Throws UsageError that names the experiment unless the norm is a layer norm, an RMS
/// norm or null.
Tensor fold_norm(const Tensor& weight, const Module* norm, const char* experiment);

/// A GPT's logits as a function of the last row x of the residual stream:
///   logit of a token = (direction of the token) . x / scale(x) + (constant of the token)
/// The directions include the last norm's gain and centring, which are linear. So a contribution to
/// the stream adds its dot product with the direction, over the common scale, to the logit.
struct Readout {
  /// Throws UsageError for an unsupported norm.
  Readout(const GPT& model, const char* experiment);
  /// Maps (..., width) to (..., vocabulary), f64: the dot products with all directions.
  Tensor products(const Tensor& x) const;
  double scale(const Tensor& x) const;  ///< the norm's scale for a row (width)

  Tensor directions;  // f64 (vocabulary, width)
  Tensor constants;   // f64 (vocabulary)

 private:
  const Module* norm_;
};

}  // namespace tapehead
