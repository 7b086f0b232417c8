#include "../../core/runtime/memory.hpp"
#include "../../optim/optimizers.hpp"
#include "../../train/learner.hpp"
#include "../shared/small_models.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(accumulate)

namespace {

ModelOptions options_of(DType dtype) {
  ModelOptions options = small_options(6, 7, 2, dtype);
  options.dropout = 0.2;  // an example's dropout doesn't depend on its micro-batch
  return options;
}

/// Returns sixteen sequences. The first have one target each, the last seven, and the fifth none.
Batch sixteen_rows() {
  return uneven_batch(16, [](Index row) { return row == 4 ? 8 : 7 - row * 6 / 15; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(micro_batches_add_up_to_the_batch) {
  GPT model(options_of(DType::f64));
  const Batch batch = sixteen_rows();
  for (double smoothing : {0.0, 0.1}) {
    CrossEntropyOptions options;
    options.label_smoothing = smoothing;
    Tape tape;
    Pass pass = Pass::training(3, 9);
    const Tensor loss = cross_entropy(model(batch.inputs, pass), batch.targets, options);
    const double expected_loss = loss.item();
    const Gradients expected = tape.backward(loss);
    for (Index parts : {1, 2, 4, 8, 16})
      for (Index shards = 1; shards <= 16 / parts; shards *= 2) {
        StepResult result;
        const Gradients gradients =
            sharded_gradients(model, batch, 3, 9, shards, result, {parts, smoothing});
        BOOST_TEST(result.loss == expected_loss, boost::test_tools::tolerance(1e-12));
        BOOST_TEST(result.tokens == 16 * 7);
        for (const Parameter* p : parameters(model))
          expect_equal(gradients[p->value()], expected[p->value()], 1e-12, p->path);
      }
  }
}

BOOST_AUTO_TEST_CASE(a_step_takes_less_memory) {
  ModelOptions options = options_of(DType::f32);
  options.context = 64, options.width = 64;
  GPT model(options);
  AdamW adam(model);
  std::vector<Example> examples(32, Example{std::vector<int>(65, 1), 0});
  const Batch batch = make_batch(examples);
  std::vector<std::size_t> peaks;
  for (Index parts : {1, 2, 8}) {
    const std::size_t before = memory_use().live;
    reset_memory_peak();
    training_step(model, adam, batch, 0, 0, 1, 1, {parts, 0});
    peaks.push_back(memory_use().peak - before);
  }
  BOOST_TEST(static_cast<double>(peaks[1]) < 0.6 * static_cast<double>(peaks[0]));
  BOOST_TEST(static_cast<double>(peaks[2]) < 0.25 * static_cast<double>(peaks[0]));
}

BOOST_AUTO_TEST_CASE(what_is_learned_stays) {
  const Scratch scratch;
  TrainConfig config = small_config();
  config.dtype = "f64";
  Listener whole, parts;
  run(config, scratch.file("whole"), whole);
  config.accumulate = 4;
  run(config, scratch.file("parts"), parts);
  BOOST_TEST(Learner(make_plan(whole.config, registry()), registry(), true).shards == 4);
  BOOST_TEST(Learner(make_plan(parts.config, registry()), registry(), true).shards ==
             2);  // shards of a micro-batch of 2
  BOOST_TEST_REQUIRE(parts.losses.size() == whole.losses.size());
  for (std::size_t i = 0; i < whole.losses.size(); ++i)
    BOOST_TEST(parts.losses[i] == whole.losses[i], boost::test_tools::tolerance(1e-10));
}

BOOST_AUTO_TEST_CASE(results_are_bitwise_identical_for_threads_and_interruptions) {
  for (const std::string& arch : registry().architectures().names()) BOOST_TEST_CONTEXT(arch) {
      TrainConfig config = small_config(arch);
      config.accumulate = 2;
      config.smoothing = 0.1;
      expect_repeatable(config);
    }
}

BOOST_AUTO_TEST_CASE(smoothing_is_of_training_alone) {
  const Scratch scratch;
  TrainConfig config = small_config();
  config.steps = 1;
  config.lr = 1e-30, config.schedule = "constant";  // keeps the model unchanged
  Listener plain, smooth;
  const TrainOutcome a = run(config, scratch.file("plain"), plain);
  config.smoothing = 0.5;
  const TrainOutcome b = run(config, scratch.file("smooth"), smooth);
  BOOST_TEST(a.evaluation.loss == b.evaluation.loss);
  BOOST_TEST(plain.losses[0] != smooth.losses[0]);
}

BOOST_AUTO_TEST_CASE(wrong_values) {
  using C = TrainConfig;
  expect_refusal("--accumulate must be at least 1, not 0", [](C& c) { c.accumulate = 0; });
  expect_refusal("--accumulate must be at most --batch 8, not 16", [](C& c) { c.accumulate = 16; });
  expect_refusal("--accumulate 3 doesn't divide --batch 8", [](C& c) { c.accumulate = 3; });
  expect_refusal("--shards 4: must be a power of two that divides --batch 8 / --accumulate 4",
                 [](C& c) { c.accumulate = 4, c.shards = 4; });
  expect_refusal("--smoothing must be at least 0 and below 1, not 1",
                 [](C& c) { c.smoothing = 1; });
  expect_refusal("--smoothing must be at least 0 and below 1, not -0.1",
                 [](C& c) { c.smoothing = -0.1; });

  GPT model(options_of(DType::f32));
  StepResult result;
  for (Index parts : {-1, 0, 3, 32})
    EXPECT_ERROR(ValueError, sharded_gradients(model, sixteen_rows(), 0, 0, 1, result, {parts, 0}),
                 fmt::format("{} micro-batches don't divide the batch size 16", parts));
  EXPECT_ERROR(ValueError, sharded_gradients(model, sixteen_rows(), 0, 0, 4, result, {8, 0}),
               "4 shards, expected a power of two that divides the micro-batch size 2");
}

BOOST_AUTO_TEST_SUITE_END()
