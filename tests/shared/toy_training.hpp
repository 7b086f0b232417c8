#pragma once
// Training runs that take no time, and what they leave.
#include "../../core/runtime/parallel.hpp"
#include "../../train/config/options.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/files/files.hpp"
#include "../../train/trainer.hpp"
#include "scratch.hpp"
#include "support.hpp"

#include <nlohmann/json_fwd.hpp>

namespace tapehead {

const Registry& registry();

/// Of each kind on a task of its own.
TrainConfig small_config(const std::string& arch = "gpt");

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

Plan planned(const TrainConfig& config, const Registry& known = registry());
TrainOutcome run(const TrainConfig& config, const std::string& path, Listener& listener,
                 const Registry& known = registry());

std::vector<nlohmann::json> metrics(const std::string& path);

/// The folder of the last checkpoint, or of the best, which a link names or, without links, a file.
std::string checkpoint_of(const std::string& run, const std::string& link = "checkpoint");

/// All that a whole run wrote, but for the times: they stand last in a line.
std::vector<std::string> result(const std::string& path);

/// Threads and interruptions change no bit of what a run writes.
void expect_repeatable(TrainConfig config);

/// What making and checking a configuration throws, after a change to it.
void expect_refusal(const std::string& text, const std::function<void(TrainConfig&)>& change);
/// The same for options of the task copy: `--layers 0`.
void expect_refusal(const std::string& text, const std::string& options);

}  // namespace tapehead
