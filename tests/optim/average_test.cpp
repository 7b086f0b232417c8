#include "../../optim/average.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/safetensors/safetensors.hpp"
#include "../shared/toy_model.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(average)

namespace {

void set_all(Module& model, double value) {
  for (Parameter* p : parameters(model)) p->set(full(p->shape, value, p->value().dtype()));
}

TrainConfig averaged_config() {
  TrainConfig config = small_config();
  config.average = 0.8;
  config.lr = 0.03;
  return config;
}

}  // namespace

BOOST_AUTO_TEST_CASE(weights_count_by_their_age) {
  ToyModel model(7, 3, DType::f64);
  WeightAverage average(parameters(model), 0.75);
  const std::vector<double> values = {3, -1, 4, 1, 5};
  double sum = 0, count = 0;
  for (std::size_t t = 0; t < values.size(); ++t) {
    set_all(model, values[t]);
    average.update(static_cast<Index>(t) + 1);
    sum = 0.75 * sum + values[t], count = 0.75 * count + 1;
    {
      const EvaluationWeights in_model(&average);  // the initial value, 7, isn't included
      expect_equal(model.weight.value(), full({2, 3}, sum / count, DType::f64), 1e-15);
      BOOST_TEST(model.scale.value().item() == values[t]);  // the scale is frozen
    }
    expect_equal(model.weight.value(), full({2, 3}, values[t], DType::f64));
  }
}

BOOST_AUTO_TEST_CASE(a_decay_of_0_gives_the_weights) {
  ToyModel model(7);
  WeightAverage average(parameters(model), 0);
  set_all(model, 0.1);
  average.update(1);
  average.swap();
  expect_equal(model.weight.value(), full({2, 3}, 0.1));
  const EvaluationWeights none(nullptr);
}

BOOST_AUTO_TEST_CASE(weights_that_a_tape_has_recorded_stay) {
  ToyModel model(7);
  WeightAverage average(parameters(model), 0.5);
  const Tape tape;
  const Tensor& recorded = model.weight;
  BOOST_TEST(recorded.size() == 6);
  BOOST_CHECK_THROW(average.swap(), TapeError);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_has_both) {
  const Scratch scratch;
  const std::string folder = scratch.file("");
  ToyModel model(1);
  ToyOptimizer optimizer(model, 2);
  WeightAverage average(parameters(model), 0.5);
  set_all(model, 4);
  average.update(1);
  set_all(model, 1);
  average.update(2);  // (4 / 2 + 1) / (1 / 2 + 1) = 2
  write_checkpoint(folder, model, optimizer, 2, &average);
  expect_equal(model.weight.value(), ones({2, 3}));

  ToyModel used(0);  // a loaded run has the averaged weights
  BOOST_TEST(read_checkpoint(folder, used, nullptr) == 2);
  expect_equal(used.weight.value(), full({2, 3}, 2));
  expect_equal(used.scale.value(), ones({}));

  ToyModel trained(0);
  ToyOptimizer moments(trained, 0);
  WeightAverage again(parameters(trained), 0.5);
  BOOST_TEST(read_checkpoint(folder, trained, &moments, &again) == 2);
  expect_equal(trained.weight.value(), ones({2, 3}));
  expect_equal(moments.moments[0], full({2, 3}, 2));
  const EvaluationWeights in_model(&again);
  expect_equal(trained.weight.value(), full({2, 3}, 2));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_without_an_average_is_refused_whole) {
  const Scratch scratch;
  const std::string folder = scratch.file("");
  ToyModel model(1);
  ToyOptimizer optimizer(model, 1);
  write_checkpoint(folder, model, optimizer, 2);
  ToyModel other(0);
  ToyOptimizer moments(other, 0);
  WeightAverage average(parameters(other), 0.5);
  expect_error<MismatchError>(
      [&] { read_checkpoint(folder, other, &moments, &average); },
      folder + "/optimizer.safetensors: \"weights.empty\" is missing, but the optimizer has it");
  BOOST_TEST(all_are(other, moments, 0));
}

BOOST_AUTO_TEST_CASE(evaluations_and_loaded_runs_are_of_the_average) {
  const Scratch scratch;
  const std::string path = scratch.file("run");
  Listener plain, listener;
  TrainConfig config = averaged_config();
  config.average = 0;
  const TrainOutcome without = run(config, scratch.file("plain"), plain);
  config.average = 0.8;
  const TrainOutcome outcome = run(config, path, listener);
  BOOST_TEST(listener.losses == plain.losses);  // training isn't affected
  BOOST_TEST(outcome.evaluation.loss != without.evaluation.loss);

  RunFolder::resume(path).write_config(to_toml(validated(config, registry()), registry()));
  const LoadedRun loaded = load_run(path, registry());
  BOOST_TEST(evaluate(*loaded.model, *loaded.task, 1000).loss == outcome.evaluation.loss);

  // The trained weights are saved separately, for resuming.
  const auto contents =
      decode_safetensors(read_file(checkpoint_of(path) + "/optimizer.safetensors"), "");
  const auto whole = decode_safetensors(
      read_file(checkpoint_of(scratch.file("plain")) + "/model.safetensors"), "");
  for (const auto& [name, x] : whole.tensors)
    expect_equal(contents.tensors.at("weights." + name), x, 0, name);
}

BOOST_AUTO_TEST_CASE(is_bitwise_identical_for_any_threads_and_interruptions) {
  expect_repeatable(averaged_config());
  TrainConfig config = averaged_config();
  config.freeze = "tokens*";
  config.dtype = "f64";
  expect_repeatable(config);
}

BOOST_AUTO_TEST_CASE(wrong_values) {
  using C = TrainConfig;
  expect_refusal("--average must be at least 0 and below 1, not 1", [](C& c) { c.average = 1; });
  expect_refusal("--average must be at least 0 and below 1, not nan",
                 [](C& c) { c.average = NAN; });
  ToyModel model;
  expect_error<ValueError>([&] { WeightAverage(parameters(model), 1); },
                           "WeightAverage: decay is 1, expected at least 0 and below 1");
}

BOOST_AUTO_TEST_SUITE_END()
