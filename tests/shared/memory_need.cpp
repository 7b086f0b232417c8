#include "memory_need.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../train/learner.hpp"
#include "../../train/plan.hpp"
#include "tasks.hpp"
#include "toy_training.hpp"

namespace tapehead {
namespace {

double bytes_in(const std::vector<Optimizer::State>& states) {
  double bytes = 0;
  for (const Optimizer::State& state : states)
    bytes += static_cast<double>(state.tensor->bytes().size());
  return bytes;
}

}  // namespace

TrainConfig config_of(const std::string& task, const std::string& options) {
  const TaskEntry& entry = registry().find_task(task);
  TrainConfig config = default_config(entry);
  apply(parse_settings(options), all_options(entry, registry()), config);
  return validated(config, registry());
}

void expect_default_memory_exact(const std::string& task, const Settings& beside) {
  const Scratch scratch;
  const TaskEntry& entry = registry().find_task(task);
  std::vector<Settings> all = {{}};
  for (const Preset& preset : entry.presets) all.push_back(preset.settings);
  for (Settings settings : all) {
    BOOST_TEST_CONTEXT(task << " with " << settings.size() << " settings of a preset") {
      settings.insert(settings.end(), beside.begin(), beside.end());
      TrainConfig config = default_config(entry);
      if (config.task_options.count("data"))
        config.task_options["data"] = data_for(entry.name, scratch);
      apply(settings, all_options(entry, registry()), config);
      expect_memory_exact(resolved(config, settings, registry()));
    }
  }
}

void expect_memory_exact(const TrainConfig& config) {
  const Plan plan = make_plan(config, registry());
  Learner learner(make_plan(config, registry(), plan.task), registry(), true);
  BOOST_TEST(plan.layout.shards == learner.shards);
  const std::vector<Parameter*> outlined = parameters(*plan.model->module);
  const std::vector<Parameter*> drawn = parameters(*learner.model->module);
  BOOST_TEST_REQUIRE(outlined.size() == drawn.size());
  double weights = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    BOOST_TEST(outlined[i]->path == drawn[i]->path);
    BOOST_TEST(outlined[i]->shape == drawn[i]->shape);
    BOOST_TEST(outlined[i]->trainable == drawn[i]->trainable);
    BOOST_TEST((outlined[i]->dtype == drawn[i]->value().dtype()));
    weights += static_cast<double>(drawn[i]->value().bytes().size());
  }
  BOOST_TEST(plan.need.weights == weights);
  BOOST_TEST(plan.need.optimizer == bytes_in(learner.optimizer->state()));
  BOOST_TEST(plan.need.average == (learner.average ? bytes_in(learner.average->state()) : 0));
  BOOST_TEST(plan.need.data == static_cast<double>(learner.task->bytes()));
}

void expect_memory_within_10_percent(const TrainConfig& config) {
  const Plan plan = make_plan(config, registry());
  const MemoryEstimate need = plan.need;
  Learner learner(plan, registry(), true);
  learner.step(0);
  const std::size_t before = memory_use().live;
  reset_memory_peak();
  learner.step(1);
  const double fixed = need.weights + need.optimizer + need.average;
  const double measured =
      static_cast<double>(memory_use().peak) - static_cast<double>(before) + fixed;
  BOOST_TEST(relative_error(fixed + need.step, measured, 1) < 0.1);
}

}  // namespace tapehead
