#pragma once
// Trainings that take no time, and what is left of them.
#include "../../core/runtime/parallel.hpp"
#include "../../train/config/options.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/trainer.hpp"

#include <nlohmann/json.hpp>

#include "scratch.hpp"
#include "support.hpp"

namespace tapehead {

inline const Registry& registry() {
  static const Registry all = Registry::standard();
  return all;
}

/// Of each kind on a task of its own.
inline TrainConfig small_config(const std::string& arch = "gpt") {
  const bool translates = arch == "encoder-decoder";
  const std::string task = translates ? "translate" : arch == "encoder" ? "reverse" : "copy";
  TrainConfig config = registry().find_task(task).recipe;
  if (translates)
    config.task_options = {{"digits", "3"}};
  else
    config.task_options = {{"length", "4"}, {"symbols", "4"}};
  config.model.layers = 1;
  config.model.heads = 2;
  config.model.width = 8;
  config.model.dropout = 0.1;
  config.model.temperature = Temperature::head;
  config.batch = 8;
  config.steps = 12;
  config.eval_every = 5;
  config.threads = 1;
  return config;
}

/// Hears what happens, and stops training after some step.
struct Listener : TrainObserver {
  explicit Listener(Index stop_after_ = -1) : stop_after(stop_after_) {}
  void began(const TrainConfig& config_, const TaskModel& model, Index first_step) override {
    config = config_;
    width = model.options.width;
    first = first_step;
  }
  void stepped(Index step, double lr, const StepResult& result) override {
    steps.push_back(step);
    lrs.push_back(lr);
    losses.push_back(result.loss);
    if (step == stop_after) stop = true;
  }
  void evaluated(Index step, const Evaluation&) override { evaluations.push_back(step); }

  Index stop_after;
  std::atomic<bool> stop{false};
  TrainConfig config;
  Index first = -1, width = 0;
  std::vector<Index> steps, evaluations;
  std::vector<double> lrs, losses;
};

inline TrainOutcome run(const TrainConfig& config, const std::string& path, Listener& listener,
                        const Registry& known = registry()) {
  if (!std::filesystem::exists(path)) RunFolder::create(path).write_config("");
  RunFolder folder = RunFolder::resume(path);
  return train(config, known, folder, listener, listener.stop);
}

inline std::vector<nlohmann::json> metrics(const std::string& path) {
  std::vector<nlohmann::json> lines;
  for (const std::string& line : RunFolder::open(path).read_metrics())
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// All that a whole run wrote, but for the times: they stand last in a line.
inline std::vector<std::string> result(const std::string& path) {
  std::vector<std::string> all;
  for (const std::string& line : RunFolder::open(path).read_metrics()) {
    const std::size_t time = line.find(",\"time\":{\"seconds\":");
    BOOST_TEST_REQUIRE(time != std::string::npos);
    BOOST_TEST(line.find('}', time) == line.size() - 2);
    all.push_back(line.substr(0, time));
  }
  for (const char* name : {"model", "optimizer", "best/model", "best/optimizer"})
    all.push_back(read_file(fmt::format("{}/{}.safetensors", path, name)));
  return all;
}

/// Threads and interruptions change no bit of what a run writes.
inline void expect_repeatable(TrainConfig config) {
  const Scratch scratch;
  Listener listener;
  run(config, scratch.file("whole"), listener);
  const auto expected = result(scratch.file("whole"));
  for (Index stop_after : {1, 5, 7}) {  // 5: where it saves anyway
    const std::string path = scratch.file(fmt::format("{}", stop_after));
    Listener first(stop_after), second;
    config.threads = 2;
    BOOST_TEST(run(config, path, first).interrupted);
    config.threads = 1;
    BOOST_TEST(!run(config, path, second).interrupted);
    BOOST_TEST(second.first == stop_after);
    BOOST_TEST(result(path) == expected, boost::test_tools::per_element());
  }
  set_threads(1);
}

/// What making and checking a configuration throws, after a change to it.
inline void expect_refusal(const std::string& text,
                           const std::function<void(TrainConfig&)>& change) {
  const auto make = [&] {
    TrainConfig config = small_config();
    change(config);
    validated(config, registry());
  };
  expect_error<UsageError>(make, text);
}
/// The same for options of the task copy: `--layers 0`.
inline void expect_refusal(const std::string& text, const std::string& options) {
  expect_refusal(text, [&](TrainConfig& config) {
    apply(parse_settings(options), all_options(registry().find_task("copy"), registry()), config);
  });
}

}  // namespace tapehead
