#include "prepared.hpp"
#include "../../train/model/fine_tuning.hpp"
#include "../../train/optimizers.hpp"
#include "../../train/runs/digest.hpp"
#include "load_run.hpp"

namespace tapehead {
namespace {

/// Checks that a run can begin with the weights of --init. A run with other tokens may have
/// parameters of the same shapes, but with another meaning.
void check_init(const TrainConfig& config, const Task& task, const Registry& registry) {
  if (config.init.empty()) return;
  if (is_weights_file(config.init))
    return start_from_file(*outline_model(config, task, registry)->module, config.init,
                           config.init_only, config.init_missing);
  const RunFolder run = RunFolder::open(config.init, [](const std::string&) {});  // reported later
  const TaskOptions mine = config.task_options,
                    theirs = recorded_config(run, registry).task_options;
  const auto differs = [&](const char* option) {
    return mine.count(option) && theirs.count(option) && mine.at(option) != theirs.at(option);
  };
  if (differs("tokens") || differs("pairs"))
    throw UsageError("--init {0}: its tokens differ; --config {0}/config.toml takes the same ones",
                     config.init);
  if (differs("characters"))
    throw UsageError(
        "--init {}: it knows the characters '{}', and here they are '{}'; give the same by "
        "--characters",
        config.init, visible(theirs.at("characters")), visible(mine.at("characters")));
  start_from(*outline_model(config, task, registry)->module, run, config.init_only,
             config.init_missing);
}

}  // namespace

void prepare(Prepared& prepared, const Job& job, bool is_new, const Registry& registry) {
  TrainConfig& config = prepared.config;
  TrainConfig located = prepared.located();
  prepared.task = make_task(located, registry);
  if (prepared.data.empty()) prepared.data = data_digests(located);
  for (const auto& [name, value] : prepared.task->found()) config.task_options[name] = value;
  if (job.leads() && is_new) check_init(config, *prepared.task, registry);
  prepared.plan = make_plan(config, *prepared.task, registry);
  if (is_new) check_optimizer(config, *prepared.plan.model->module, registry);
  const Index shards = prepared.plan.layout.shards;
  if (const int ranks = job.ranks(); ranks > shards)
    throw UsageError("{} ranks for {}: start at most {}, or cut the batch by --shards {}", ranks,
                     plural(shards, "shard"), shards, 2 * shards);
}

}  // namespace tapehead
