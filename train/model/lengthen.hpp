#pragma once
#include "architecture.hpp"

namespace tapehead {

/// Returns a model with the same weights and a longer context; null if the trained model's context
/// suffices. Throws UsageError if a parameter's shape depends on the length, as with learned
/// positions, or if the task's vocabulary differs.
std::unique_ptr<TaskModel> with_longer_context(const TaskModel& trained, const TrainConfig& config,
                                               const Task& longer, const Registry& registry);

}  // namespace tapehead
