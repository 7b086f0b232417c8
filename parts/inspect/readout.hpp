#pragma once
#include "../../nn/gpt.hpp"
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// Returns the model's GPT for experiments on the residual stream. Throws UsageError with the
/// experiment's requirements if the model has none.
const GPT& require_residual_gpt(const TaskModel& model, const char* experiment);

/// Folds a norm into the weight (out, width) of the linear map that reads norm(x), so that the map
/// can read x instead. Includes the norm's gain and centring, which are linear, but not its scale.
/// Returns f64. Throws UsageError, which names the experiment, unless the norm is a layer norm, an
/// RMS norm or null.
Tensor fold_norm(const Tensor& weight, const Module* norm, const char* experiment);

/// A GPT's logits as a function of the last row x of the residual stream:
///   logit(token) = direction(token) . x / scale(x) + constant(token)
/// The directions include the last norm's gain and centring, which are linear. So a vector added to
/// the stream changes a logit by its dot product with the token's direction, divided by scale(x).
struct Readout {
  /// Throws UsageError for an unsupported norm.
  Readout(const GPT& model, const char* experiment);
  /// Returns the dot products of x (..., width) with all directions, f64 (..., vocabulary).
  Tensor products(const Tensor& x) const;
  double scale(const Tensor& x) const;  ///< the last norm's divisor for a row x (width)

  Tensor directions;  // f64 (vocabulary, width)
  Tensor constants;   // f64 (vocabulary)

 private:
  const Module* norm_;
};

}  // namespace tapehead
