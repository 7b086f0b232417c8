#pragma once
#include "architecture.hpp"

namespace tapehead {

/// A batch of so many examples, all the same and as long as any that the task gives the model.
Batch longest_batch(const TaskModel& model, const Task& task, Index examples = 1);

}  // namespace tapehead
