#pragma once
// Preparation of a training before its first step.
#include "../../train/plan.hpp"
#include "../options/run_files.hpp"
#include "commands.hpp"
#include "job.hpp"

namespace tapehead {

/// What is trained.
struct Prepared {
  /// Returns the configuration with the current paths of its files.
  TrainConfig located() const { return with_files(config, moved); }

  TrainConfig config;
  FilePaths moved;  ///< of a resumed run, where its files are found now
  std::shared_ptr<const Task> task;
  std::string data;  ///< data_digests of its files; computed where it is empty
  Plan plan;
};

/// Makes the task of `prepared.config` and plans the model. For a new run, checks that it can start
/// from the weights of --init. Throws UsageError if there are more ranks than shards.
void prepare(Prepared& prepared, const Job& job, bool is_new, const Registry& registry);

}  // namespace tapehead
