#pragma once
// A run before anything of it is allocated: how its steps are cut, and the memory that they need.
#include "files/memory_limit.hpp"
#include "model/memory_need.hpp"

namespace tapehead {

/// How steps are cut.
struct Layout {
  Index shards = 1;  ///< of a batch or micro-batch
  int threads = 1;   ///< --threads, or as many as have enough to do; no bit depends on it
};
Layout layout(const TrainConfig& config, const Task& task, const TaskModel& model);

struct Plan {
  std::unique_ptr<TaskModel> model;  ///< an outline, where what --freeze names is frozen
  Layout layout;
  MemoryNeed need;
};
/// Throws UsageError where a model is impossible, or nothing is left to train.
Plan make_plan(const TrainConfig& config, const Task& task, const Registry& registry);

/// Throws UsageError, with figures and what would fit, where the plan needs more than there is.
void check_memory(const Plan& plan, const TrainConfig& config, const Task& task,
                  const Registry& registry, const MemoryLimit& limit = memory_limit());

}  // namespace tapehead
