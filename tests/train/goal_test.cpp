#include "../../train/config/goal.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>
#include <optional>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(goal, InScratch)

namespace {

Evaluation evaluation(double loss, double exact_match) {
  Evaluation result;
  result.loss = loss, result.exact_match = exact_match;
  return result;
}

/// Returns a configuration whose validation loss first falls and later rises.
TrainConfig falling_and_rising() {
  TrainConfig config = small_config();
  config.schedule = "constant";
  config.lr = 0.1;
  config.eval_every = 2;
  config.steps = 16;
  return config;
}

}  // namespace

BOOST_AUTO_TEST_CASE(better_is_more_answers_then_less_loss) {
  BOOST_TEST(is_better(evaluation(2, 0.5), evaluation(1, 0.4), true));
  BOOST_TEST(!is_better(evaluation(1, 0.4), evaluation(2, 0.5), true));
  BOOST_TEST(is_better(evaluation(1, 0.5), evaluation(2, 0.5), true));
  BOOST_TEST(!is_better(evaluation(1, 0.5), evaluation(1, 0.5), true));
  BOOST_TEST(!is_better(evaluation(2, 0.5), evaluation(1, 0.4), false));
  BOOST_TEST(is_better(evaluation(1, 0.4), evaluation(2, 0.5), false));
}

BOOST_AUTO_TEST_CASE(a_goal_is_a_measure_and_a_number) {
  BOOST_TEST(!Goal::parse(""));
  const auto exact = Goal::parse("exact-match=0.99"), loss = Goal::parse("loss=1.92");
  BOOST_TEST(exact->reached(evaluation(9, 0.99)));
  BOOST_TEST(!exact->reached(evaluation(0, 0.98)));
  BOOST_TEST(loss->reached(evaluation(1.92, 0)));
  BOOST_TEST(!loss->reached(evaluation(1.93, 1)));
  BOOST_TEST(!loss->reached(evaluation(NAN, 1)));
}

BOOST_AUTO_TEST_CASE(wrong_goals) {
  const auto refused = [](const std::string& text, const std::string& message) {
    expect_refusal(message, [&](TrainConfig& c) { c.until = text; });
  };
  refused("1", "--until: expected exact-match=X or loss=X, got '1'");
  refused("acc=1", "--until: expected exact-match=X or loss=X, got 'acc=1'");
  refused("loss", "--until: expected exact-match=X or loss=X, got 'loss'");
  refused("loss=", "--until loss: expected a number, got ''");
  refused("loss=1x", "--until loss: expected a number, got '1x'");
  refused("exact-match=0", "--until exact-match must be above 0 and at most 1, not 0");
  refused("exact-match=99", "--until exact-match must be above 0 and at most 1, not 99");
  refused("loss=-1", "--until loss must be at least 0, not -1");
  refused("loss=inf", "--until loss must be finite and at least 0, not inf");
  refused("loss=nan", "--until loss must be at least 0, not nan");

  TrainConfig config = registry().find_task("text").recipe;
  config.task_options = {{"data", scratch.write("x", "a rose is a rose is a rose is a rose")},
                         {"context", "8"}};
  config.until = "exact-match=1";
  EXPECT_ERROR(UsageError, make_task(config, registry()),
               "--until exact-match=1: the task text has no metric exact-match; use loss=X");
}

BOOST_AUTO_TEST_CASE(a_goal_ends_training) {
  TrainConfig config = falling_and_rising();
  Listener whole;
  run(config, scratch.file("whole"), whole);
  // The lowest loss of all evaluations.
  Index end = -1;
  double lowest = HUGE_VAL;
  for (const json& line : metrics(scratch.file("whole")))
    if (line.contains("val_loss") && line["val_loss"] < lowest)
      end = line["step"], lowest = line["val_loss"];
  BOOST_TEST_REQUIRE(end > 2);
  BOOST_TEST_REQUIRE(end < config.steps);
  config.until = fmt::format("loss={}", lowest);
  Listener first, again;
  const TrainOutcome outcome = run(config, scratch.file("run"), first);
  BOOST_TEST(outcome.steps == end);
  BOOST_TEST(outcome.reached_goal);
  BOOST_TEST(!outcome.interrupted);
  BOOST_TEST(metrics(scratch.file("run")).size() == static_cast<std::size_t>(end));

  const auto before = result(scratch.file("run"));
  const TrainOutcome resumed = run(config, scratch.file("run"), again);
  BOOST_TEST(resumed.reached_goal);
  BOOST_TEST(resumed.steps == end);
  BOOST_TEST(again.steps.empty());
  BOOST_TEST(resumed.evaluation.loss == outcome.evaluation.loss);
  BOOST_TEST(result(scratch.file("run")) == before, per_element());

  // An interrupted run ends at the same step.
  Listener interrupted(3), rest;
  BOOST_TEST(run(config, scratch.file("parts"), interrupted).interrupted);
  BOOST_TEST(run(config, scratch.file("parts"), rest).reached_goal);
  BOOST_TEST(result(scratch.file("parts")) == before, per_element());
}

BOOST_AUTO_TEST_CASE(a_goal_that_is_not_reached_changes_nothing) {
  TrainConfig config = small_config();
  Listener plain, listener;
  run(config, scratch.file("plain"), plain);
  config.until = "exact-match=1";
  BOOST_TEST(!run(config, scratch.file("run"), listener).reached_goal);
  BOOST_TEST(result(scratch.file("run")) == result(scratch.file("plain")));
}

BOOST_AUTO_TEST_CASE(patience_ends_training_without_improvement) {
  TrainConfig config = falling_and_rising();
  Listener whole;
  run(config, scratch.file("whole"), whole);
  // Expected end: the second evaluation in a row without improvement.
  Index end = -1, without = 0;
  std::optional<Evaluation> best;
  for (const json& line : metrics(scratch.file("whole"))) {
    if (!line.contains("val_loss") || end > 0) continue;
    const Evaluation now = evaluation(line["val_loss"], line["exact_match"]);
    const bool is_best = !best || is_better(now, *best, true);
    if (is_best) best = now;
    without = is_best ? 0 : without + 1;
    if (without == 2) end = line["step"];
  }
  BOOST_TEST_REQUIRE(end > 4);
  BOOST_TEST_REQUIRE(end < config.steps);
  config.patience = 2;
  Listener first, again;
  const TrainOutcome outcome = run(config, scratch.file("run"), first);
  BOOST_TEST(outcome.steps == end);
  BOOST_TEST(outcome.best_step == end - 4);
  BOOST_TEST((outcome.out_of_patience && !outcome.reached_goal && !outcome.interrupted));
  BOOST_TEST(metrics(scratch.file("run")).back()["patience_left"] == 0);

  const auto before = result(scratch.file("run"));
  BOOST_TEST(run(config, scratch.file("run"), again).out_of_patience);
  BOOST_TEST(again.steps.empty());
  BOOST_TEST(result(scratch.file("run")) == before, per_element());

  // Evaluations before an interruption count as well.
  Listener interrupted(end - 1), rest;
  BOOST_TEST(run(config, scratch.file("parts"), interrupted).interrupted);
  BOOST_TEST(run(config, scratch.file("parts"), rest).out_of_patience);
  BOOST_TEST(result(scratch.file("parts")) == before, per_element());

  // With more patience, the run continues to its last step.
  config.patience = 100;
  Listener more;
  BOOST_TEST(!run(config, scratch.file("run"), more).out_of_patience);
  BOOST_TEST(metrics(scratch.file("run")).back()["digest"] ==
             metrics(scratch.file("whole")).back()["digest"]);
}

BOOST_AUTO_TEST_CASE(the_best_is_kept) {
  const TrainConfig config = falling_and_rising();
  Listener listener;
  const std::string path = scratch.file("run");
  const TrainOutcome outcome = run(config, path, listener);
  Index best = -1;
  Evaluation most;
  for (const json& line : metrics(path)) {
    if (!line.contains("val_loss")) continue;
    const Evaluation now = evaluation(line["val_loss"], line["exact_match"]);
    if (best < 0 || is_better(now, most, true)) best = line["step"], most = now;
  }
  BOOST_TEST_REQUIRE(best < config.steps);  // if the last step is the best, this tests nothing
  BOOST_TEST(outcome.best_step == best);
  BOOST_TEST(outcome.best.loss == most.loss);

  RunFolder::resume(path).write_config(to_toml(validated(config, registry()), registry()));
  const LoadedRun loaded = load_run(path, registry(), "", "best"),
                  last = load_run(path, registry());
  BOOST_TEST(loaded.steps == best);
  BOOST_TEST(evaluate(*loaded.model, *loaded.task, 1000).loss == most.loss);
  BOOST_TEST(last.steps == config.steps);
  EXPECT_ERROR(UsageError, load_run(path, registry(), "", "bset"),
               "--checkpoint bset: expected last, best or the step of a checkpoint; " + path +
                   " has 12, 14, 16");
}

BOOST_AUTO_TEST_CASE(threads_and_interruptions_keep_the_same_best) {
  expect_repeatable(falling_and_rising());
}

BOOST_AUTO_TEST_CASE(a_run_that_was_not_evaluated_has_no_best) {
  const TrainConfig config = small_config();
  Listener listener(3);
  run(config, scratch.file("run"), listener);
  RunFolder::resume(scratch.file("run"))
      .write_config(to_toml(validated(config, registry()), registry()));
  EXPECT_ERROR(FileError, load_run(scratch.file("run"), registry(), "", "best"),
               scratch.file("run") + ": no best checkpoint has been saved yet");
}

BOOST_AUTO_TEST_CASE(commands_take_either) {
  const Elsewhere elsewhere;
  const std::string train =
      "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 "
      "--schedule constant --lr 0.01 --steps 16 --eval-every 2";
  const Output trained = done(train);
  BOOST_TEST(has(trained.text, "--checkpoint best"));
  const auto evaluated = [](const std::string& which) {
    return json_of("eval runs/copy-0 --json --checkpoint " + which);
  };
  BOOST_TEST(evaluated("last")["step"] == 16);
  BOOST_TEST(evaluated("best")["step"] < 16);
  for (const std::string name : {"eval", "sample", "attention"}) {
    done(name + " runs/copy-0 --checkpoint best");
    expect_refused(
        name + " runs/copy-0 --checkpoint first",
        "--checkpoint first: expected last, best or the step of a checkpoint; runs/copy-0 has "
        "2, 14, 16");
  }
  BOOST_TEST(
      has(command(train + " --until loss=9").text, "--until loss=9 was reached at step 2 of 16\n"));
  const Output again = command("train --resume runs/copy-1");
  BOOST_TEST(missing(again.text, {"--until loss=9 was reached at step 2 of 16\n", "done in "}) ==
             "");
  // A learning rate near 0 hardly improves anything.
  const Output patient = done(train + " --lr 1e-12 --patience 2");
  BOOST_TEST(has(patient.text, "early stopping (--patience 2): no improvement since step "));
  expect_refused(command("train --resume runs/copy-2 --steps 20 --change steps"),
                 "--change steps: early stopping (--patience 2) ended the run at step " +
                     std::to_string(metrics("runs/copy-2").back()["step"].get<Index>()) +
                     "; add --patience N --change steps,patience");
}

BOOST_AUTO_TEST_SUITE_END()
