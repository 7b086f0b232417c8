// Checks which steps have a metrics line.
#include "../../train/runs/metrics_file.hpp"
#include "../shared/json.hpp"
#include "../shared/suite.hpp"
#include "../shared/toy_training.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(metrics_lines)

namespace {

/// Returns a configuration with so many steps that 1 % of them is several.
TrainConfig long_config(Index log_every = 0) {
  TrainConfig config = small_config();
  config.steps = 100000;
  config.eval_every = 0;
  config.log_every = log_every;
  return config;
}

std::vector<Index> steps_in(const std::string& run) {
  std::vector<Index> steps;
  for (const json& line : metrics(run)) steps.push_back(line["step"].get<Index>());
  return steps;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_has_one_for_its_last_step) {
  const Scratch scratch;
  const std::string path = scratch.file("run");
  Listener listener(7);
  BOOST_TEST(run(long_config(), path, listener).interrupted);
  BOOST_TEST(steps_in(path) == std::vector<Index>{7}, per_element());
  BOOST_TEST(metrics(path)[0]["loss"].get<double>() == listener.losses.back());
  Listener again(9);
  BOOST_TEST(run(long_config(), path, again).interrupted);
  BOOST_TEST(steps_in(path) == (std::vector<Index>{7, 9}), per_element());
}

BOOST_AUTO_TEST_CASE(every_so_many_steps) {
  const Scratch scratch;
  const std::string path = scratch.file("run");
  Listener listener(7);
  run(long_config(3), path, listener);
  BOOST_TEST(steps_in(path) == (std::vector<Index>{3, 6, 7}), per_element());
  BOOST_TEST(metrics(path)[0].contains("update_ratio"));
}

BOOST_AUTO_TEST_CASE(where_an_observer_wants_one) {
  struct Wants : Listener {
    using Listener::Listener;
    bool wants_line(Index step) override { return step == 2; }
  };
  const Scratch scratch;
  Wants listener(4);
  run(long_config(), scratch.file("run"), listener);
  BOOST_TEST(steps_in(scratch.file("run")) == (std::vector<Index>{2, 4}), per_element());
}

/// The resumed run repeats the evaluation first, and completes the line.
BOOST_AUTO_TEST_CASE(an_interrupted_evaluation_is_completed_at_resume) {
  struct StopsInEvaluation : Listener {
    void evaluating(Index, double) override { stop = true; }
  };
  const Scratch scratch;
  const std::string path = scratch.file("run"), whole = scratch.file("whole");
  TrainConfig config = small_config();
  config.steps = config.eval_every = 4;
  config.log_every = 100;
  for (int i = 0; i < 2; ++i) {
    StopsInEvaluation listener;
    BOOST_TEST(run(config, path, listener).interrupted);
    BOOST_TEST(steps_in(path) == std::vector<Index>{4}, per_element());
    BOOST_TEST(!metrics(path)[0].contains("val_loss"));
  }
  Listener rest, unstopped;
  BOOST_TEST(!run(config, path, rest).interrupted);
  run(config, whole, unstopped);
  BOOST_TEST(result(path) == result(whole), per_element());
}

BOOST_AUTO_TEST_CASE(a_run_that_diverges_has_one_for_its_last_step) {
  const Scratch scratch;
  const std::string path = scratch.file("run");
  TrainConfig config = long_config();
  config.optimizer = "sgd";
  config.lr = 1e20;
  config.clip = 0;
  config.warmup = 0;
  Listener listener;
  BOOST_CHECK_THROW(run(config, path, listener), DivergedError);
  BOOST_TEST_REQUIRE(!steps_in(path).empty());
  BOOST_TEST(steps_in(path).back() == listener.steps.back());
}

BOOST_AUTO_TEST_CASE(samples_are_rewound_with_them) {
  const Scratch scratch;
  RunFolder folder = RunFolder::create(scratch.file("run"));
  folder.write_config("");
  const MetricsFile samples(folder.path(), samples_name);
  for (Index step : {1, 2, 3}) samples.append(fmt::format("{{\"step\":{}}}", step));
  folder.rewind_metrics(2);
  BOOST_TEST(samples.read().size() == 2u);
  BOOST_TEST(folder.read_metrics().empty());
}

BOOST_AUTO_TEST_SUITE_END()
