#pragma once
// A run before anything of it is allocated: its task and model, how its steps are cut, and the
// memory that they need.
#include "files/memory_limit.hpp"
#include "model/memory_need.hpp"

namespace tapehead {

/// How steps are cut.
struct Layout {
  Index shards = 1;  ///< of a batch or micro-batch
  int threads = 1;   ///< --threads, or as many as have enough to do; no bit depends on it
};

/// A validated configuration, and what is made from it once: a learner trains this model.
struct Plan {
  TrainConfig config;  ///< with the options that the task found in its files
  std::shared_ptr<const Task> task;
  /// Without weights, until a learner draws or loads them; what --freeze names is frozen.
  std::shared_ptr<TaskModel> model;
  Layout layout;
  MemoryEstimate need;
};
/// Plans the training of a configuration from `validated`. Makes its task, where none is given.
/// Throws UsageError where a model is impossible, or nothing is left to train.
Plan make_plan(TrainConfig config, const Registry& registry,
               std::shared_ptr<const Task> task = nullptr);

/// Throws UsageError, with figures and what would fit, where the plan needs more than there is.
void check_memory(const Plan& plan, const Registry& registry,
                  const MemoryLimit& limit = memory_limit());

}  // namespace tapehead
