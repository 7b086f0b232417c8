#pragma once
// What is seen of a run while it trains.
#include <tapehead/cli/terminal.hpp>
#include <tapehead/train/trainer.hpp>

#include <chrono>

namespace tapehead {

/// Heights of ▁ to █ over the values, from their least to their largest.
std::string sparkline(const std::vector<double>& values);

/// On a terminal, one line that is drawn again and again, and a held-out example with the answer
/// that the model gave when last evaluated. Elsewhere, a line of a table at each evaluation and at
/// each tenth of the way.
class Progress : public TrainObserver {
 public:
  Progress(const Terminal& terminal, const Task& task) : terminal_(terminal), task_(task) {}
  ~Progress() override;

  void began(const TrainConfig& config, const TaskModel& model, Index first_step) override;
  void stepped(Index step, double lr, const StepResult& result) override;
  void evaluated(Index step, const Evaluation& evaluation) override;

 private:
  using Clock = std::chrono::steady_clock;
  std::string rate() const;
  std::string left() const;
  std::string bar() const;
  void draw();
  void print_row(Index step, const Evaluation* evaluation) const;
  void print_cells(const std::string& step, const std::string& loss, const std::string& held_out,
                   const std::string& exact, const std::string& lr, const std::string& speed,
                   const std::string& time) const;
  bool evaluates_at(Index step) const;

  const Terminal terminal_;
  const Task& task_;
  const TaskModel* model_ = nullptr;
  Index first_ = 0, step_ = 0, steps_ = 1, eval_every_ = 0;
  double lr_ = 0, loss_ = 0;
  std::vector<double> trend_;  // mean loss in each of equal parts of the run
  std::vector<double> counts_;
  std::string accuracy_, answer_;

  Clock::time_point start_, last_step_, last_draw_;
  bool just_stepped_ = false;        // else the time since the last step was not spent stepping
  double tokens_ = 0, seconds_ = 0;  // lately
  int drawn_ = 0;                    // lines on the screen
};

}  // namespace tapehead
