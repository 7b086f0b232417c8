#pragma once
#include "../../train/trainer.hpp"

namespace tapehead {

/// Writes what a run's model predicts on the first held-out examples, in NumPy's format .npz:
/// `inputs`, i32 (examples, time); `targets`, i32, one for each prediction, -1 where there is none;
/// and `logits`, f32 or f64 (targets' shape, vocabulary), each after the right tokens before it.
/// Throws UsageError where the logits don't fit into memory.
void save_predictions(const TaskModel& model, const Task& task, Index examples,
                      const std::string& path);

}  // namespace tapehead
