#pragma once
#include "../../nn/gpt.hpp"
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// The GPT of a run, for experiments on the stream that all its blocks add to. Throws UsageError
/// that names the experiment and says what it would take.
const GPT& require_residual_gpt(const TaskModel& model, const char* experiment);

/// The weight (out, width) of a map that reads norm(x), as that of a map of x itself: with the
/// norm's gain and its centring, which are linear, but without its scale, and f64. Throws
/// UsageError, which names the experiment, for a norm that is neither a layer norm, an RMS norm nor
/// null.
Tensor fold_norm(const Tensor& weight, const Module* norm, const char* experiment);

/// How predictions follow from the last row x of the residual stream, as a GPT's norm and head make
/// them:
///   logit of a token = (direction of the token) . x / scale(x) + (constant of the token)
/// The norm's gain and its centring are linear, so they are within the directions. What one part of
/// the stream adds to a logit is its product with the direction: all parts share the scale.
struct Readout {
  /// Throws UsageError as `reading` does.
  Readout(const GPT& model, const char* experiment);
  /// (..., width) -> (..., vocabulary), f64: the products with all directions.
  Tensor products(const Tensor& x) const;
  double scale(const Tensor& x) const;  ///< of a row (width)

  Tensor directions;  // f64 (vocabulary, width)
  Tensor constants;   // f64 (vocabulary)

 private:
  const Module* norm_;
};

}  // namespace tapehead
