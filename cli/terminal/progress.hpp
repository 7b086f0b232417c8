#pragma once
// Display of a run while it trains.
#include "../../train/trainer.hpp"
#include "progress_line.hpp"
#include "prompt.hpp"

#include <chrono>
#include <functional>

namespace tapehead {

/// Returns a sparkline from ▁ (minimum) to █ (maximum).
std::string sparkline(const std::vector<double>& values);

/// A prompt and what a model generated from it.
struct GeneratedText {
  std::string prompt, text;  ///< texts in the task's format
  std::string lines;         ///< prompt and text, formatted for the terminal
};

/// Options for the display next to the numbers.
struct Shown {
  std::size_t examples =
      3;  ///< number of answered validation examples; 0: neither examples nor text samples
  std::vector<Prompt> prompts = {};  ///< prompts to show instead of validation examples
  std::string hint = {};             ///< on a terminal, a line that is shown once
  double hint_after = 20;            ///< seconds until the hint is shown
  /// Called at each evaluation with the answers to the prompts, or a sample of text.
  std::function<void(Index step, const std::vector<GeneratedText>&)> record = {};
};

/// On a terminal: one line, redrawn in place, above validation examples with the answers of the
/// last evaluation, or a generated line of text. Elsewhere: a table row at each evaluation, at each
/// tenth of the steps or every --log-every steps if given, and at least every minute.
class Progress : public TrainObserver {
 public:
  Progress(const Terminal& terminal, const Task& task, Shown shown = {})
      : live_(terminal.live), lines_(terminal), task_(task), shown_(std::move(shown)) {}

  void began(const TrainConfig& config, const TaskModel& model, Index first_step) override;
  void stepped(Index step, double lr, const StepResult& result) override;
  void evaluating(Index step, double fraction) override;
  void evaluated(Index step, const Evaluation& evaluation) override;
  /// Prints a line, on standard error if nothing is drawn.
  void noticed(Index step, const std::string& text) override;
  /// Prints a row for the last step of a stopped run, unless it has one.
  void stopped();

 private:
  using Clock = std::chrono::steady_clock;
  std::string rate() const;
  std::string left() const;
  double seconds_left() const;
  std::string bar() const;
  GeneratedText sample(const std::vector<int>& prompt) const;
  std::vector<GeneratedText> first_sample() const;
  std::vector<GeneratedText> answers_to_prompts() const;
  std::vector<GeneratedText> generated() const;
  /// Prints a line above the drawn lines.
  void say(const std::string& text);
  std::vector<double> trend(std::size_t parts) const;
  void draw();
  bool needs_row(Index step) const;
  void print_row(Index step, const Evaluation* evaluation);
  bool evaluates_at(Index step) const;

  const bool live_;
  LiveLines lines_;
  const Task& task_;
  Shown shown_;
  const TaskModel* model_ = nullptr;
  Index first_ = 0, step_ = 0, steps_ = 1, eval_every_ = 0;
  Index row_every_ = 1, last_row_ = -1;  // in steps
  Index next_example_ = 0;               // next example to show
  double evaluation_tokens_ = 0, step_tokens_ = 0;
  double lr_ = 0, loss_ = 0, norm_ = 0;
  std::vector<double> sums_, counts_;  // sums and numbers of losses in equal sections of the run
  std::string held_out_, answers_;

  Clock::time_point start_, last_step_, last_draw_, last_row_time_;
  bool just_stepped_ = false;        // false: the time since the last step includes other work
  double tokens_ = 0, seconds_ = 0;  // of recent steps, for the speed
  // Progress of the current evaluation, if any, and total time of evaluations.
  double fraction_ = -1, evaluating_ = 0;
  Index evaluations_ = 0;
  Clock::time_point evaluation_start_;
};

}  // namespace tapehead
