#pragma once
// Short training runs, and their results.
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

/// Returns a configuration for an architecture, with a suitable task.
TrainConfig small_config(const std::string& arch = "gpt");

/// Records events, and stops training after some step.
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

/// Returns the folder of the last or best checkpoint, from its link or text file.
std::string checkpoint_of(const std::string& run, const std::string& link = "checkpoint");

/// Returns all that a run wrote, except times, which come last in a line.
std::vector<std::string> result(const std::string& path);

/// Expects that results are bitwise identical for other threads and interruptions.
void expect_repeatable(TrainConfig config);

/// Expects an error when a changed configuration is made and checked.
void expect_refusal(const std::string& text, const std::function<void(TrainConfig&)>& change);
/// Expects an error for these options of the task copy, such as `--layers 0`.
void expect_refusal(const std::string& text, const std::string& options);

}  // namespace tapehead
