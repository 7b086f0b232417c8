#pragma once
#include "architecture.hpp"

namespace tapehead {

/// A model of the same kind, configuration and weights, for examples longer than it was trained on.
/// No model where the trained one sees all of them already. Throws UsageError where a parameter's
/// shape depends on the length, as that of learned positions does, or where the task has another
/// vocabulary.
std::unique_ptr<TaskModel> with_longer_context(const TaskModel& trained, const TrainConfig& config,
                                               const Task& longer, const Registry& registry);

}  // namespace tapehead
