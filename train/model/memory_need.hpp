#pragma once
// Estimates the memory of training before anything is allocated.
#include "architecture.hpp"

namespace tapehead {

/// The memory of a training run in bytes, by purpose.
struct MemoryEstimate {
  // Memory in use during the whole run; exact.
  double weights = 0, optimizer = 0, average = 0, data = 0;
  // Temporary: gradients and activations of a step, attention weights of an evaluation, the file of
  // a checkpoint. The step is traced with meta tensors, so custom layers count. The total is within
  // 10 %.
  double step = 0, evaluation = 0, saving = 0;

  double total() const;
};

/// Estimates the memory of training. The model's weights may be meta tensors.
MemoryEstimate estimate_memory(const TrainConfig& config, const Registry& registry,
                               const TaskModel& model, const Task& task, Index shards,
                               Index threads);

}  // namespace tapehead
