#pragma once
// Preparation of a training run.
#include "../../train/plan.hpp"
#include "../options/run_files.hpp"
#include "commands.hpp"
#include "job.hpp"

namespace tapehead {

/// A run that is ready to be trained.
struct Prepared {
  TrainConfig config;  ///< the configuration that config.toml records
  std::string data;    ///< data_digests of its files
  Plan plan;           ///< the plan, with the current paths of the data files
};

/// Prepares a new run. Throws UsageError if it can't start from the weights of --init, if an option
/// of the optimizer has no effect, or if there are more ranks than shards.
Prepared prepare_new(const TrainConfig& config, const Job& job, const Registry& registry);
/// Prepares a resumed run, whose files are now at `moved`. Computes the digests of its data if
/// `data` is empty. Makes the task if none is given. Throws UsageError if there are more ranks than
/// shards.
Prepared prepare_resumed(const TrainConfig& config, const FilePaths& moved, const std::string& data,
                         const Job& job, const Registry& registry,
                         std::shared_ptr<const Task> task = nullptr);

}  // namespace tapehead
