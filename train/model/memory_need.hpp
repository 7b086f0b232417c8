#pragma once
// The memory that a training takes, reckoned before anything is allocated.
#include "architecture.hpp"

namespace tapehead {

/// Bytes.
struct MemoryEstimate {
  // As long as the run lasts. These are exact.
  double weights = 0, optimizer = 0, average = 0, data = 0;
  // For a while, besides: a step's gradients and activations, an evaluation's attention weights, a
  // checkpoint's file. The step is tried with outlines, so whatever layers it has are counted, and
  // the whole is within a tenth.
  double step = 0, evaluation = 0, saving = 0;

  double total() const;
};

/// What training takes, of a model whose weights may be outlines, in so many shards on so many
/// threads.
MemoryEstimate estimate_memory(const TrainConfig& config, const Registry& registry,
                               const TaskModel& model, const Task& task, Index shards,
                               Index threads);

}  // namespace tapehead
