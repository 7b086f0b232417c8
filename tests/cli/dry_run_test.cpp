#include "../../cli/terminal/dry_run.hpp"
#include "../../cli/commands/train_text.hpp"
#include "../../core/runtime/memory.hpp"
#include "../../train/watch/timing.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"
#include "../shared/toy_training.hpp"

#include <thread>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(dry_run)

namespace {

DryRun rehearsed(const TrainConfig& config) {
  return estimate_run(make_plan(config, registry()), registry());
}

}  // namespace

BOOST_AUTO_TEST_CASE(reports_the_cost_of_training) {
  TrainConfig config = small_config();
  config.freeze = "tokens*";  // (4, 8)
  const DryRun plain = rehearsed(config);
  const auto task = make_task(config, registry());
  BOOST_TEST(plain.parameters == count_parameters(*make_model(config, *task, registry())->module));
  BOOST_TEST(plain.trained == plain.parameters - 4 * 8);
  BOOST_TEST(plain.need.weights == 4. * static_cast<double>(plain.parameters));
  BOOST_TEST(plain.need.optimizer == 2 * plain.need.weights);
  BOOST_TEST(plain.need.average == 0);
  BOOST_TEST(plain.need.step > 0);
  BOOST_TEST(plain.step_seconds > 0);
  BOOST_TEST(plain.evaluation_seconds > 0);
  BOOST_TEST(plain.steps == 12);
  BOOST_TEST(plain.evaluations == 3);  // at steps 5, 10 and 12
  BOOST_TEST(plain.seconds() == 12 * plain.step_seconds + 3 * plain.evaluation_seconds);

  config.average = 0.9, config.dtype = "f64", config.optimizer = "sgd", config.eval_every = 0;
  const DryRun other = rehearsed(config);
  BOOST_TEST(other.need.weights == 2 * plain.need.weights);
  BOOST_TEST(other.need.optimizer == other.need.weights);
  BOOST_TEST(other.need.average == 8. * static_cast<double>(plain.trained));
  BOOST_TEST(other.evaluations == 1);
}

BOOST_AUTO_TEST_CASE(processor_time_excludes_waiting) {
  const ProcessorStopwatch processor;
  const Stopwatch wall;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  BOOST_TEST(wall.seconds() >= 0.2);
  BOOST_TEST(processor.seconds() < 0.1);
  const double before = processor.seconds();
  while (wall.seconds() < 0.3) {
  }
  BOOST_TEST(processor.seconds() > before);
}

BOOST_AUTO_TEST_CASE(slow_step_is_announced) {
  const Registry& all = registry();
  Session session{all, Terminal(), "tapehead", false};
  const auto announced = [&](Index width, double flops_per_second) {
    TrainConfig config = small_config();
    config.model.width = width, config.batch = 64;
    return slow_step_note(make_plan(config, all), session, flops_per_second);
  };
  BOOST_TEST(announced(8, 1) == "");
  BOOST_TEST(announced(4096, 1e12) == "");
  const std::string line = announced(4096, 1e9);
  BOOST_TEST(has(line, "estimate: "), line);
  BOOST_TEST(has(line, "GB of memory\n"), line);
  BOOST_TEST(announced(4096, 0).size() < 100);  // a speed of 0: measures this machine's speed
}

BOOST_AUTO_TEST_CASE(memory_estimate_matches_training) {
  const Scratch scratch;
  TrainConfig config = small_config();
  config.model.width = 32, config.batch = 64;
  const DryRun whole = rehearsed(config);
  const std::size_t others = memory_use().live;  // memory still held by earlier tests
  Listener listener;
  const TrainOutcome outcome = run(config, scratch.file("run"), listener);
  const auto taken = static_cast<double>(outcome.peak_bytes - others);
  BOOST_TEST(relative_error(whole.need.total(), taken, 1) < 0.3);
  config.accumulate = 8;
  BOOST_TEST(rehearsed(config).need.step < whole.need.step);
}

BOOST_AUTO_TEST_CASE(long_runs_are_not_timed) {
  TrainConfig config = small_config();
  config.batch = 1 << 20;
  const DryRun run = rehearsed(config);
  BOOST_TEST(run.step_flops > 1e10);
  BOOST_TEST(run.step_seconds == 0);
}

BOOST_AUTO_TEST_CASE(command_writes_nothing) {
  const Elsewhere elsewhere;
  const Output output = done(
      "train copy --length 4 --width 8 --heads 2 --layers 1 --steps 1000 --average 0.9 --freeze "
      "tokens* --dry-run");
  BOOST_TEST(output.errors == "");
  BOOST_TEST(missing(output.text, {"copy · length 4 · vocabulary 16", "GPT", "tokens: ", "frozen",
                                   "of which", "weights", "optimizer", "average", "a step",
                                   "an evaluation", "1,000 steps and 10 evaluations in about ",
                                   "dry run: nothing was written\n"}) == "");
  BOOST_TEST(std::filesystem::is_empty("."));

  expect_refused("train copy --heads 3 --dry-run", "--heads 3 doesn't divide --width 64");
  expect_refused("train --resume runs/x --dry-run",
                 "--dry-run and --resume can't be combined; remove one");
}

BOOST_AUTO_TEST_CASE(optimizer_option_without_effect_is_refused) {
  const Elsewhere elsewhere;
  const std::string train = "train copy --width 8 --heads 2 --layers 1 ";
  const auto refused = [&](const std::string& options, const std::string& message) {
    for (const char* command : {" --dry-run", " --steps 1 --out run"})
      expect_refused(train + options + command, message);
    BOOST_TEST(!std::filesystem::exists("run"));
  };
  refused("--freeze '*weight' --optimizer muon",
          "--lr has no effect on the trained parameters with --optimizer muon: none is a matrix; "
          "use --optimizer adamw");
  refused("--freeze '*weight' --weight-decay 0.2",
          "--weight-decay has no effect on the trained parameters with --optimizer adamw: none is "
          "subject to weight decay; remove it");
  refused(
      "--freeze 'tokens*,positions*,*norm*,*bias' --optimizer muon --beta1 0.5",
      "--beta1 has no effect on the trained parameters with --optimizer muon: all are matrices; "
      "remove it");
  expect_refused("sweep copy --freeze '*weight' --optimizer muon --grid lr=0.1,0.2 --out sweep",
                 "--lr has no effect on the trained parameters with --optimizer muon: none is a "
                 "matrix; use --optimizer adamw");
  for (const char* options :
       {"--freeze '*bias' --optimizer muon --beta1 0.5", "--freeze '*weight' --weight-decay 0",
        "--freeze '*weight'", "--weight-decay 0.2"})
    done(train + options + " --dry-run");
}

BOOST_AUTO_TEST_SUITE_END()
