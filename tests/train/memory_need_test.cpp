#include "../shared/memory_need.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/learner.hpp"
#include "../../train/plan.hpp"
#include "../shared/build.hpp"
#include "../shared/folders.hpp"
#include "../shared/tasks.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(memory_need, Elsewhere)

BOOST_AUTO_TEST_CASE(memory_of_defaults_and_presets_is_exact) {
  const Registry standard = Registry::standard();
  for (const TaskEntry& entry : standard.tasks()) expect_default_memory_exact(entry.name);
}

BOOST_AUTO_TEST_CASE(memory_of_every_model_option_is_exact) {
  std::vector<std::string> all = {"--kv-heads 1",   "--qk-norm true",
                                  "--head-width 3", "--mlp-width 5",
                                  "--biases false", "--residual false",
                                  "--average 0.9",  "--freeze tokens*",
                                  "--shards 8",     "--batch 4 --width 128 --layers 3"};
  for (const Option& option : common_options(Registry::standard()))
    for (const char* name :
         {"arch", "position", "attention-temperature", "norm", "mlp", "dtype", "optimizer"})
      if (option.name == name)
        for (const std::string& value : option.choices)
          all.push_back("--" + option.name + " " + value);
  BOOST_TEST(all.size() > 30u);
  for (const std::string& options : all) {
    BOOST_TEST_CONTEXT(options) {
      expect_memory_exact(config_of("reverse", "--width 16 " + options));
    }
  }
}

// Runs dominated by activations, gradients or weights, with various shards and micro-batches.
BOOST_AUTO_TEST_CASE(memory_of_a_step_is_within_10_percent) {
  if (under_sanitizers) return;  // tests only arithmetic, and would take minutes
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
           "--width 256 --layers 2 --batch 4",
           "--width 256 --layers 2 --batch 4 --accumulate 4",
           "--width 32 --heads 4 --length 256 --batch 8",
           "--width 16 --length 256 --symbols 36 --batch 8 --layers 1"}) {
    BOOST_TEST_CONTEXT(options) {
      expect_memory_within_10_percent(config_of("reverse", "--threads 1 " + options));
    }
  }
}

namespace {

/// A layer that needs the values of its input.
struct NeedsValues : Module {
  Tensor forward(const Tensor& x, Pass&) const override {
    if (x(0) == 0) throw ValueError("needs-values: the first number is 0");
    return x * 1.0;
  }
  void visit(Visitor&) override {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_layer_that_needs_values_can_be_trained) {
  Registry mine = registry();
  mine.attention("needs-values",
                 [](const AttentionLayerOptions&) { return std::make_unique<NeedsValues>(); });
  TrainConfig config = small_config();
  config.attention = "needs-values", config.model.temperature = Temperature::none;
  config = validated(config, mine);
  const Plan plan = make_plan(config, mine);
  Learner learner(plan, mine, true);
  BOOST_TEST(plan.need.weights > 0);
  BOOST_TEST(plan.need.step >=
             2 * plan.need.weights);  // gradients, and the weights before the update
  learner.step(0);
}

BOOST_AUTO_TEST_SUITE_END()
