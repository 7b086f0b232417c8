#pragma once
// Fourier components of a model of modular arithmetic, and the progress measures of Nanda et al.,
// "Progress measures for grokking via mechanistic interpretability", 2023.
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// How far a model computes its answers by the frequencies of a few waves. The waves are functions
/// of the answer: of a + b or a - b; for a * b or a / b, of the answer's discrete logarithm,
/// without pairs that contain 0. Key frequencies are the five of the largest amplitude in the
/// logits.
struct FourierProgress {
  /// Fraction of the variance of the logits over all pairs that the key frequencies explain.
  double logits = 0;
  /// Fraction of the variance of the numbers' embeddings in their own five largest frequencies.
  double embedding = 0;
  /// Loss over all pairs if the logits consist only of their mean and the key frequencies.
  double restricted_loss = 0;
  /// Loss over the training pairs if the key frequencies are removed from the logits.
  double excluded_loss = 0;
};

/// Measures a gpt on the task `modular`. Throws UsageError for another task.
FourierProgress fourier_progress(const TaskModel& model, const TrainConfig& config);

/// Returns the waves of these frequencies over n points as orthonormal columns (n, columns): for
/// each frequency k, cos(2 pi k s / n), then, unless 2 k = n, sin(2 pi k s / n).
Tensor fourier_waves(Index n, const std::vector<Index>& frequencies);

}  // namespace tapehead
