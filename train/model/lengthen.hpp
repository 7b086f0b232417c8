#pragma once
#include "architecture.hpp"

namespace tapehead {

/// A model of the same kind with the same weights, for examples longer than it was trained on, by
/// the same configuration otherwise; of dropout and the like nothing changes. No model where the
/// trained one sees all of them already. Throws UsageError where a parameter's shape depends on the
/// length, as that of learned positions does, or where the task has other symbols.
std::unique_ptr<TaskModel> lengthened(const TaskModel& trained, const TrainConfig& config,
                                      const Task& longer, const Registry& registry);

}  // namespace tapehead
