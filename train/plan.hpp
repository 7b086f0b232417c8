#pragma once
// Plans a run before allocation: task, model, shards, threads and memory.
#include "files/memory_limit.hpp"
#include "model/memory_need.hpp"

namespace tapehead {

/// The parallelism of a step.
struct Layout {
  Index shards = 1;  ///< number of shards per batch or micro-batch
  int threads = 1;   ///< --threads, or as many as are useful; results don't depend on it
};

/// A validated configuration with its task and model. A learner trains this model.
struct Plan {
  TrainConfig config;  ///< includes options that the task read from its files
  std::shared_ptr<const Task> task;
  /// The model, without weights until a learner initializes or loads them. Parameters in --freeze
  /// are frozen.
  std::shared_ptr<TaskModel> model;
  Layout layout;
  MemoryEstimate need;
};
/// Plans the training of a validated configuration. Makes the task if none is given. Throws
/// UsageError for an impossible model, or if no trainable parameter is left.
Plan make_plan(TrainConfig config, const Registry& registry,
               std::shared_ptr<const Task> task = nullptr);

/// Throws UsageError if the plan needs more memory than available, with options that would fit.
void check_memory(const Plan& plan, const Registry& registry,
                  const MemoryLimit& limit = memory_limit());

}  // namespace tapehead
