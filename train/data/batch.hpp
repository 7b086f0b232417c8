#pragma once
#include "../../nn/pass.hpp"

#include <string>

namespace tapehead {

struct Module;

/// The inputs of a step, and the targets of its loss.
struct Batch {
  Tensor inputs;  // i32 (examples, time); or numbers, (examples, ...)
  /// i32, as the model's logits without their last axis; -1 where there is none; or what an own
  /// loss makes of them, (examples, ...); or no tensor.
  Tensor targets = {};
  /// How many tokens of each row the model needs: padding follows. Empty: it needs all of them.
  std::vector<Index> lengths = {};
  /// What else layers and losses read of each row, by name: (examples, ...) each. A gpt's batch has
  /// `question`, i32 (examples): how many tokens of a row are given.
  NamedTensors named = {};

  /// Rows [first, last), without the padding that all of them end with.
  Batch rows(Index first, Index last) const;
};

/// What a model gives for a batch, whose named tensors its layers can read in this pass.
Tensor logits_of(const Module& model, const Batch& batch, Pass& pass);

/// What training makes small and evaluations tell, where that isn't the cross-entropy of a model's
/// logits.
struct Loss {
  std::string name;  ///< "residual"
  std::string unit;  ///< "nats per pair"; may be empty
  /// The mean of some rows of a batch: one element. Random numbers come from pass.next_key().
  std::function<Tensor(const Batch& rows, Pass& pass)> of;
  /// What it is a mean of, by which the parts of a batch are weighed: rows, if it is empty.
  std::function<double(const Batch& rows)> count = {};

  /// The mean, (). Throws ShapeError that names the loss if that isn't one number.
  Tensor operator()(const Batch& rows, Pass& pass) const;
  double counted(const Batch& rows) const;
};

}  // namespace tapehead
