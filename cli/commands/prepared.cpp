#include "prepared.hpp"
#include "../../train/model/fine_tuning.hpp"
#include "../../train/optimizers.hpp"
#include "../../train/runs/digest.hpp"
#include "load_run.hpp"

namespace tapehead {
namespace {

/// Checks that a run can start with the weights of --init. With other tokens, parameters of equal
/// shapes would have another meaning.
void check_init(const Plan& plan, const Registry& registry) {
  const TrainConfig& config = plan.config;
  if (config.init.empty()) return;
  if (is_weights_file(config.init))
    return load_initial_weights_from_file(*plan.model->module, config.init, config.init_only,
                                          config.init_missing);
  // Notices are printed later, when the weights are loaded.
  const RunFolder run = RunFolder::open(config.init, [](const std::string&) {});
  const TaskOptions mine = config.task_options,
                    theirs = recorded_config(run, registry).task_options;
  const auto differs = [&](const char* option) {
    return mine.count(option) && theirs.count(option) && mine.at(option) != theirs.at(option);
  };
  if (differs("tokens") || differs("pairs"))
    throw UsageError(
        "--init {0}: its tokens differ from the new run's tokens; use --config "
        "{0}/config.toml",
        config.init);
  if (differs("characters"))
    throw UsageError(
        "--init {0}: its characters are '{1}', but the new run has '{2}'; set "
        "--characters '{1}'",
        config.init, visible(theirs.at("characters")), visible(mine.at("characters")));
  load_initial_weights(*plan.model->module, run, config.init_only, config.init_missing);
}

void check_ranks(const Plan& plan, const Job& job) {
  const Index shards = plan.layout.shards;
  if (const int ranks = job.ranks(); ranks > shards)
    throw UsageError("{} ranks for {}; start at most {}, or use --shards {}", ranks,
                     plural(shards, "shard"), shards, 2 * shards);
}

}  // namespace

Prepared prepare_new(const TrainConfig& config, const Job& job, const Registry& registry) {
  Prepared prepared{config, "", make_plan(config, registry)};
  const Plan& plan = prepared.plan;
  prepared.config = plan.config;
  prepared.data = data_digests(plan.config);
  if (job.leads()) check_init(plan, registry);
  check_optimizer(plan, registry);
  check_ranks(plan, job);
  return prepared;
}

Prepared prepare_resumed(const TrainConfig& config, const FilePaths& moved, const std::string& data,
                         const Job& job, const Registry& registry,
                         std::shared_ptr<const Task> task) {
  Prepared prepared{config, data, make_plan(with_files(config, moved), registry, std::move(task))};
  const Plan& plan = prepared.plan;
  for (const auto& [name, value] : plan.task->recorded_options())
    prepared.config.task_options[name] = value;
  if (data.empty()) prepared.data = data_digests(plan.config);
  check_ranks(plan, job);
  return prepared;
}

}  // namespace tapehead
