#include "../../core/runtime/memory.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/learner.hpp"
#include "../../train/plan.hpp"
#include "../shared/build.hpp"
#include "../shared/folders.hpp"
#include "../shared/image_files.hpp"
#include "../shared/tasks.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(memory_need, Elsewhere)

namespace {

TrainConfig config_of(const std::string& task, const std::string& options) {
  const TaskEntry& entry = registry().find_task(task);
  TrainConfig config = recipe_of(entry);
  apply(parse_settings(options), all_options(entry, registry()), config);
  return validated(config, registry());
}

double bytes_in(const std::vector<Optimizer::State>& states) {
  double bytes = 0;
  for (const Optimizer::State& state : states)
    bytes += static_cast<double>(state.tensor->bytes().size());
  return bytes;
}

/// What is said of a learner before it is made, beside what it then has.
void expect_exact(Learner& learner) {
  const Plan plan = make_plan(learner.config, *learner.task, registry());
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

}  // namespace

BOOST_AUTO_TEST_CASE(recipes_and_presets_are_reckoned_to_the_byte) {
  const Scratch scratch;
  for (const TaskEntry& entry : registry().tasks()) {
    std::vector<Settings> all = {{}};
    for (const Preset& preset : entry.presets) all.push_back(preset.settings);
    for (const Settings& settings : all) {
      BOOST_TEST_CONTEXT(entry.name << " with " << settings.size() << " settings of a preset") {
        TrainConfig config = recipe_of(entry);
        if (config.task_options.count("data"))
          config.task_options["data"] = data_for(entry.name, scratch);
        if (entry.name == "images") config.own.texts["patch"] = "2";
        apply(settings, all_options(entry, registry()), config);
        config = validated(without_unread(config, settings, registry()), registry());
        Learner learner(config, registry(), true);
        expect_exact(learner);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_option_of_a_model_is_reckoned_to_the_byte) {
  std::vector<std::string> all = {"--kv-heads 1",   "--qk-norm true",
                                  "--head-width 3", "--mlp-width 5",
                                  "--biases false", "--residual false",
                                  "--average 0.9",  "--freeze tokens*",
                                  "--shards 8",     "--batch 4 --width 128 --layers 3"};
  for (const TrainOption& option : common_options(registry()))
    for (const char* name :
         {"arch", "position", "attention-temperature", "norm", "mlp", "dtype", "optimizer"})
      if (option.name == name)
        for (const std::string& value : option.choices)
          if (value != "vit") all.push_back("--" + option.name + " " + value);
  BOOST_TEST(all.size() > 30u);
  for (const std::string& options : all) {
    BOOST_TEST_CONTEXT(options) {
      Learner learner(config_of("reverse", "--width 16 " + options), registry(), true);
      expect_exact(learner);
    }
  }
  Learner sees(config_of("shapes", "--width 16 --shifted-patches true --pool class"), registry(),
               true);
  expect_exact(sees);
}

// Runs whose activations, gradients or weights take the most, cut in every way.
BOOST_AUTO_TEST_CASE(a_step_is_reckoned_within_30_percent) {
  if (under_sanitizers) return;  // it is arithmetic over figures, and takes minutes
  const std::string deep = "--width 64 --layers 4 --heads 4 --length 64 --batch 32 ";
  for (const std::string& options : std::vector<std::string>{
           deep,
           deep + "--shards 1",
           deep + "--accumulate 4",
           deep + "--recompute true",
           deep + "--position rotary --norm rms --qk-norm true --mlp swiglu --optimizer muon",
           deep + "--attention-temperature qkv --qk-norm true --position rotary",
           deep + "--attention-temperature lsa --dropout 0.1",
           deep + "--position relative --kv-heads 1",
           deep + "--mlp none --optimizer lion --average 0.9",
           deep + "--mlp relu2 --norm none --residual false",
           deep + "--dtype f64 --position sinusoidal --optimizer sgd",
           deep + "--arch encoder",
           deep + "--arch encoder-decoder",
           deep + "--arch encoder-decoder --recompute true",
           deep + "--arch gpt --tied-head false --symbols 36",
           deep + "--arch gpt --window 8",
           deep + "--arch gpt --attention gated-heads",
           deep + "--arch gpt --attention differential",
           deep + "--arch gpt --attention sinks --window 8",
           deep + "--arch gpt --attention switchhead",
           deep + "--arch gpt --attention linear",
           deep + "--arch gpt --attention latent",
           "--width 256 --layers 2 --batch 4",
           "--width 256 --layers 2 --batch 4 --accumulate 4",
           "--width 32 --heads 4 --length 256 --batch 8",
           "--width 16 --length 256 --symbols 36 --batch 8 --layers 1",
           "--patch 4 --shifted-patches true --width 64 --layers 4 --batch 32",
           "--patch 2 --pool class --width 32 --layers 2 --batch 16"}) {
    BOOST_TEST_CONTEXT(options) {
      const bool sees = options.rfind("--patch", 0) == 0;
      const TrainConfig config = config_of(sees ? "shapes" : "reverse", "--threads 1 " + options);
      Learner learner(config, registry(), true);
      const MemoryNeed need = make_plan(config, *learner.task, registry()).need;
      learner.step(0);
      const std::size_t before = memory_use().live;
      reset_memory_peak();
      learner.step(1);
      const double fixed = need.weights + need.optimizer + need.average;
      const double measured =
          static_cast<double>(memory_use().peak) - static_cast<double>(before) + fixed;
      BOOST_TEST(relative_error(fixed + need.step, measured, 1) < 0.3);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
