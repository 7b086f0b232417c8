#include "runs.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../cli/options/run_files.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../cli/terminal/progress.hpp"
#include "../../cli/terminal/progress_line.hpp"
#include "../../core/runtime/float_mode.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/config/goal.hpp"
#include "../../train/files/message.hpp"
#include "../../train/learner.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/step/thread_scope.hpp"
#include "../../train/watch/timing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

namespace tapehead {
namespace {

/// Opens the run's folder if it exists from an earlier call, or creates it.
RunFolder open_or_create(const TrainConfig& config, const Session& session) {
  if (std::filesystem::exists(config.out)) {
    RunFolder folder = RunFolder::resume(config.out);
    if (folder.last_step() < config.steps) note_changed_code(folder);
    return folder;
  }
  RunFolder folder = RunFolder::create(config.out);
  folder.write_config(to_toml(config, session.registry));
  return folder;
}

/// Forwards events to another observer. Stops training at a step, or when StopSignals asks to.
class StopAtStep : public TrainObserver {
 public:
  StopAtStep(TrainObserver& inner, Index step) : inner_(inner), step_(step) {}
  void began(const TrainConfig& config, const TaskModel& model, Index first) override {
    inner_.began(config, model, first);
  }
  void stepped(Index step, double lr, const StepResult& result) override {
    inner_.stepped(step, lr, result);
    stop = StopSignals::stop || step >= step_;
  }
  void evaluating(Index step, double fraction) override {
    inner_.evaluating(step, fraction);
    if (StopSignals::stop) stop = true;
  }
  void evaluated(Index step, const Evaluation& evaluation) override {
    inner_.evaluated(step, evaluation);
  }
  void noticed(Index step, const std::string& text) override { inner_.noticed(step, text); }

  std::atomic<bool> stop = false;

 private:
  TrainObserver& inner_;
  const Index step_;
};

/// Trains runs in several threads; each takes the next run when it is ready.
class RunPool {
 public:
  RunPool(const std::vector<SweepRun>& runs, const TrainLimit& train_limit, const Shares& shares,
          bool quiet, Session& session)
      : runs_(runs),
        train_limit_(train_limit),
        shares_(shares),
        quiet_(quiet),
        session_(session),
        outcomes_(runs.size()),
        line_(session.terminal, plural(shares.jobs, "run") + " in parallel") {
    for (const SweepRun& run : runs) steps_ += static_cast<double>(end_of(run));
  }

  std::optional<std::vector<TrainOutcome>> train() {
    for (const SweepRun& run : runs_) check_run_folder(run.config, session_);
    std::vector<std::thread> others;
    try {
      while (static_cast<int>(others.size()) + 1 < shares_.jobs)
        others.emplace_back([this] { take_runs(); });
    } catch (const std::system_error&) {  // continue with the threads that started
    }
    take_runs();
    for (std::thread& other : others) other.join();
    line_.clear();
    if (failure_) std::rethrow_exception(failure_);
    if (done_ == runs_.size()) return outcomes_;
    message(fmt::format("interrupted; {} of {} done; repeat the command to continue", done_,
                        plural(runs_.size(), "run")));
    return {};
  }

 private:
  Index end_of(const SweepRun& run) const {
    return train_limit_.until > 0 ? train_limit_.until : run.config.steps;
  }

  void take_runs() {
    const FloatMode mode;
    while (const SweepRun* run = next()) {
      try {
        const std::optional<TrainOutcome> outcome = outcome_of(*run);
        if (!outcome) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        outcomes_[static_cast<std::size_t>(run - runs_.data())] = *outcome;
        ++done_;
        done_steps_ += static_cast<double>(end_of(*run));
        if (train_limit_.ended) train_limit_.ended(*run, *outcome);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        StopSignals::stop = true;  // tells the other threads to save their runs and stop
      }
    }
  }

  const SweepRun* next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (next_ == runs_.size() || StopSignals::stop) return nullptr;
    const SweepRun& run = runs_[next_++];
    line_.clear();
    if (!quiet_)
      tell("{} of {}{}: {}{}\n", next_, runs_.size(),
           train_limit_.until > 0 ? fmt::format(" up to step {}", train_limit_.until) : "",
           visible(run.name), time_left());
    return &run;
  }

  /// Returns ` · about 5 min left`, by the steps of the complete runs; empty in the first seconds.
  std::string time_left() const {
    constexpr double soon = 5;
    if (watch_.seconds() < soon || done_steps_ == 0) return "";
    const double left = watch_.seconds() * (steps_ - done_steps_) / done_steps_;
    return fmt::format(" · about {} left", duration(left));
  }

  /// Trains one run. Returns nothing if interrupted.
  std::optional<TrainOutcome> outcome_of(const SweepRun& run) {
    RunFolder folder = open_or_create(run.config, session_);
    folder.record(deciding_toml(run.config, session_.registry), data_digests(run.config));
    TrainConfig config = run.config;
    if (shares_.jobs > 1) config.threads = std::min(run.need.threads, shares_.threads);
    const Plan plan = make_plan(config, session_.registry);
    try {
      const TrainOutcome outcome = train_limit_.until > 0
                                       ? up_to(train_limit_.until, run, plan, folder)
                                       : to_end(run, plan, folder);
      if (outcome.interrupted) return {};
      return outcome;
    } catch (const DivergedError& error) {  // divergence is an outcome, not a failure
      message(fmt::format("{}: diverged: {}", run.config.out, error.what()));
      return diverged_at(error.step);
    }
  }

  TrainOutcome to_end(const SweepRun& run, const Plan& plan, RunFolder& folder) {
    return seen(run, *plan.task, [&](TrainObserver& observer) {
      return tapehead::train(plan, session_.registry, folder, observer, StopSignals::stop);
    });
  }

  TrainOutcome up_to(Index step, const SweepRun& run, const Plan& plan, RunFolder& folder) {
    const TrainConfig& config = plan.config;
    const Task& task = *plan.task;
    const Index before = folder.last_step();
    if (before >= step)
      if (const auto known = train_limit_.known(run)) return *known;
    if (before > step)
      throw UsageError(
          "{} has trained for {}, but --halving compares runs after {}; choose another --out",
          run.config.out, plural(before, "step"), plural(step, "step"));
    if (before < step)
      seen(run, task, [&](TrainObserver& observer) {
        StopAtStep until(observer, step);
        return tapehead::train(plan, session_.registry, folder, until, until.stop);
      });
    TrainOutcome outcome;
    outcome.interrupted = true;
    if (StopSignals::stop) return outcome;
    const auto model = make_meta_model(config, task, session_.registry);
    outcome.steps = folder.load(*model->module, nullptr);
    const ThreadScope threads(shares_.jobs > 1 ? static_cast<int>(config.threads)
                                               : run.need.threads);
    outcome.evaluation = evaluate(*model, task, evaluated_examples(config, task), true, {},
                                  session_.registry.metrics(), &StopSignals::stop);
    outcome.interrupted = outcome.evaluation.examples == 0;
    find_lowest_loss(folder, outcome);
    return outcome;
  }

  /// Calls `work`, which trains a run, with an observer. It shows the run's progress if runs train
  /// one at a time; otherwise, it prints the run's notices and the progress of all runs.
  template <class Work>
  TrainOutcome seen(const SweepRun& run, const Task& task, const Work& work) {
    if (session_.terminal.live && !quiet_ && shares_.jobs == 1) {
      Progress progress(session_.terminal, task, Shown{0});
      return work(progress);
    }
    struct Notices : TrainObserver {
      RunPool& crew;
      const std::string& folder;
      Notices(RunPool& crew_, const std::string& folder_) : crew(crew_), folder(folder_) {}
      void noticed(Index step, const std::string& text) override {
        const std::lock_guard<std::mutex> lock(crew.mutex_);
        crew.line_.clear();
        message(fmt::format("{}: step {}: {}", folder, step, text));
      }
      void stepped(Index, double, const StepResult&) override {
        const std::lock_guard<std::mutex> lock(crew.mutex_);
        if (!crew.quiet_) crew.line_(++crew.stepped_ / crew.steps_);
      }
    } notices(*this, run.config.out);
    return work(notices);
  }

  const std::vector<SweepRun>& runs_;
  const TrainLimit& train_limit_;
  const Shares shares_;
  const bool quiet_;
  Session& session_;

  std::mutex mutex_;  // guards the members below
  std::vector<TrainOutcome> outcomes_;
  std::size_t next_ = 0, done_ = 0;
  std::exception_ptr failure_;
  ProgressLine line_;
  double steps_ = 0, stepped_ = 0;  // planned and completed steps of all runs
  double done_steps_ = 0;           // steps of the complete runs
  const Stopwatch watch_;
};

}  // namespace

void check_run_folder(const TrainConfig& config, const Session& session) {
  if (!std::filesystem::exists(config.out)) return;
  const RunFolder folder = RunFolder::open(config.out);
  const TrainConfig recorded = recorded_config(folder, session.registry);
  for (const Option& option : differences(config, recorded, session.registry))
    throw UsageError("{} was trained with --{} {}, not {}; choose another --out", config.out,
                     option.name, option.get(recorded), option.get(config));
  for (const std::string& option : changed_data(config.task_options, folder.last_record().data))
    throw UsageError("{}: {} has changed since the run was trained on it; choose another --out",
                     config.out, config.task_options.at(option));
}

void find_lowest_loss(const RunFolder& folder, TrainOutcome& outcome) {
  outcome.best = outcome.evaluation;
  outcome.best_step = outcome.steps;
  for (const std::string& text : folder.read_metrics()) {
    const Json line = parse_json(text).value();
    if (!line["val_loss"].is_number()) continue;
    const Evaluation evaluation = evaluation_in(line);
    if (!is_better(evaluation, outcome.best, false)) continue;
    outcome.best = evaluation;
    outcome.best_step = line["step"].integer().value();
  }
}

Shares share_cores(Index asked, const std::vector<SweepRun>& runs, int cores,
                   const MemoryLimit& limit) {
  RunNeed most;
  for (const SweepRun& run : runs) {
    most.threads = std::max(most.threads, run.need.threads);
    most.bytes = std::max(most.bytes, run.need.bytes);
  }
  const double room = most.bytes > 0 ? std::floor(limit.bytes / most.bytes) : infinity;
  const Index fit = static_cast<Index>(std::clamp(room, 1.0, 1e6));
  if (asked > fit)
    throw UsageError("--jobs {}: {} parallel runs need {:.3g} GB, but {} {:.3g} GB; use --jobs {}",
                     asked, asked, 1e-9 * most.bytes * static_cast<double>(asked), limit.by,
                     1e-9 * limit.bytes, fit);
  const Index by_cores = std::max(cores / most.threads, 1);
  const Index jobs =
      std::min<Index>(asked > 0 ? asked : std::min(by_cores, fit), static_cast<Index>(runs.size()));
  return {static_cast<int>(jobs), std::max(cores / static_cast<int>(jobs), 1)};
}

std::optional<std::vector<TrainOutcome>> train_all(const std::vector<SweepRun>& runs,
                                                   const TrainLimit& train_limit,
                                                   const Shares& shares, bool quiet,
                                                   Session& session) {
  return RunPool(runs, train_limit, shares, quiet, session).train();
}

}  // namespace tapehead
