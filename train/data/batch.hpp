#pragma once
#include "../../nn/pass.hpp"

#include <string>

namespace tapehead {

struct Module;

/// The inputs and targets of a training step.
struct Batch {
  Tensor inputs;  // i32 (examples, time), or floats (examples, ...)
  /// i32 in the shape of the model's logits without their last axis; -1 marks positions without a
  /// target. With a custom loss: any tensor (examples, ...), or none.
  Tensor targets = {};
  /// Number of tokens in each row before the padding. Empty if there is no padding.
  std::vector<Index> lengths = {};
  /// Additional tensors that layers and losses read, by name, each (examples, ...). A gpt batch has
  /// `question`, i32 (examples): the number of prompt tokens in each row.
  NamedTensors named = {};

  /// Returns rows [first, last), without the trailing columns that are padding in all of these
  /// rows.
  Batch rows(Index first, Index last) const;
};

/// Runs the model on a batch and returns its output. Layers can read the batch's named tensors.
Tensor logits_of(const Module& model, const Batch& batch, Pass& pass);

/// The logits of some positions, and their targets.
struct Predictions {
  Tensor logits;   // (..., vocabulary)
  Tensor targets;  // (...)
};
/// Returns the predictions for all targets of a batch. If few positions have targets, a model can
/// leave out the logits of the other positions; see logits() in nn/embedding.hpp.
Predictions predictions_at_targets(const Module& model, const Batch& batch, Pass& pass);

/// A custom loss, which training minimizes and evaluations report instead of cross-entropy.
struct Loss {
  std::string name;  ///< such as "residual"
  std::string unit;  ///< such as "nats per pair"; may be empty
  /// Returns the mean loss of some rows of a batch, one element. Random numbers must come from
  /// pass.next_key().
  std::function<Tensor(const Batch& rows, Pass& pass)> of;
  /// Returns the weight of these rows when the means of several slices are combined. Empty: the
  /// number of rows.
  std::function<double(const Batch& rows)> count = {};

  /// Returns the mean loss, shape (). Throws ShapeError if `of` returns more than one number.
  Tensor operator()(const Batch& rows, Pass& pass) const;
  /// Returns the weight of these rows: `count`, or the number of rows.
  double counted(const Batch& rows) const;
};

}  // namespace tapehead
