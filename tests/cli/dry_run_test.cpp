#include "../../cli/terminal/dry_run.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(dry_run)

BOOST_AUTO_TEST_CASE(measures_what_training_takes) {
  TrainConfig config = small_config();
  config.freeze = "tokens*";  // (4, 8)
  const DryRun plain = rehearse(config, registry());
  const auto task = make_task(config, registry());
  BOOST_TEST(plain.parameters == count_parameters(*make_model(config, *task, registry())->module));
  BOOST_TEST(plain.trained == plain.parameters - 4 * 8);
  BOOST_TEST(plain.weights == 4u * static_cast<std::size_t>(plain.parameters));
  BOOST_TEST(plain.optimizer == 2 * plain.weights);
  BOOST_TEST(plain.average == 0u);
  BOOST_TEST(plain.step_peak > plain.weights + plain.optimizer);
  BOOST_TEST(plain.step_seconds > 0);
  BOOST_TEST(plain.evaluation_seconds > 0);
  BOOST_TEST(plain.steps == 12);
  BOOST_TEST(plain.evaluations == 3);  // 5, 10, 12
  BOOST_TEST(plain.seconds() == 12 * plain.step_seconds + 3 * plain.evaluation_seconds);

  config.average = 0.9, config.dtype = "f64", config.optimizer = "sgd", config.eval_every = 0;
  const DryRun other = rehearse(config, registry());
  BOOST_TEST(other.weights == 2 * plain.weights);
  BOOST_TEST(other.optimizer == other.weights);
  BOOST_TEST(other.average == 8u * static_cast<std::size_t>(plain.trained));
  BOOST_TEST(other.evaluations == 1);
}

BOOST_AUTO_TEST_CASE(the_peak_is_that_of_training) {
  const Scratch scratch;
  TrainConfig config = small_config();
  config.model.width = 32, config.batch = 64;
  const DryRun whole = rehearse(config, registry());
  Listener listener;
  const TrainOutcome outcome = run(config, scratch.file("run"), listener);
  const double predicted = std::max(whole.step_peak, whole.evaluation_peak);
  BOOST_TEST(relative_error(predicted, static_cast<double>(outcome.peak_bytes), 1) < 0.2);
  config.accumulate = 8;
  BOOST_TEST(rehearse(config, registry()).step_peak < whole.step_peak);
}

BOOST_AUTO_TEST_CASE(the_command_writes_nothing) {
  const Elsewhere elsewhere;
  const Output output = done(
      "train copy --length 4 --width 8 --heads 2 --layers 1 --steps 1000 --average 0.9 --freeze "
      "tokens* --dry-run");
  BOOST_TEST(output.errors == "");
  BOOST_TEST(missing(output.text,
                     {"copy · 4 of 16 tokens", "GPT", "tokens: ", "frozen", "of which", "weights",
                      "optimizer", "average", "a step", "an evaluation",
                      "1,000 steps and 10 evaluations in about ", "nothing was written\n"}) == "");
  BOOST_TEST(std::filesystem::is_empty("."));

  expect_refused("train copy --heads 3 --dry-run", "--heads 3 doesn't divide --width 64");
  expect_refused("train --resume runs/x --dry-run",
                 "--dry-run is for a new run, and --resume continues one");
}

BOOST_AUTO_TEST_SUITE_END()
