#include "trainer.hpp"
#include "../core/runtime/float_mode.hpp"
#include "../core/runtime/memory.hpp"
#include "config/config.hpp"
#include "config/goal.hpp"
#include "files/json.hpp"
#include "files/strings.hpp"
#include "learner.hpp"
#include "model/architecture.hpp"
#include "runs/digest.hpp"
#include "runs/diverged.hpp"
#include "runs/provenance.hpp"
#include "step/cost.hpp"
#include "step/not_finite.hpp"
#include "step/profiler.hpp"
#include "watch/diagnostics.hpp"
#include "watch/metrics_csv.hpp"
#include "watch/tensorboard.hpp"
#include "watch/timing.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tapehead {
namespace {

constexpr double most_seconds_without_line = 10;

/// One training run. Its weights don't depend on interruptions. Each metrics line describes a
/// single step. The time only decides which steps get extra lines, not the contents of lines.
class Training {
 public:
  Training(const Plan& plan, const Registry& registry, RunFolder* folder, TrainObserver& observer,
           Profiler* profiler, const MakeRanks& make_ranks)
      : folder_(folder),
        observer_(observer),
        profiler_(profiler),
        session_(begin_session(registry)),
        learner_(plan, registry, folder && !folder->has_checkpoint(), make_ranks),
        goal_(Goal::parse(plan.config.until)),
        report_every_(report_interval(learner_.config)) {
    reset_memory_peak();
  }

  TrainOutcome run(const std::atomic<bool>& stop) {
    stop_ = &stop;
    outcome_.steps = learner_.begin(folder_);
    const std::string unevaluated = read_record();
    recall(recorded_);
    learner_.check_evaluation(evaluated_examples(learner_.config, *learner_.task));
    observer_.began(learner_.config, *learner_.model, outcome_.steps);
    if (profiler_) profiler_->plan(outcome_.steps, learner_.config.steps);
    if (!unevaluated.empty() && !has_line(recorded_)) {
      last_step_ = parse_json(unevaluated).value();
      conclude();
    } else if (is_done()) {
      outcome_.interrupted = !evaluate_now();
    }
    take_steps();
    report_last_step();
    outcome_.seconds = watch_.seconds();
    outcome_.peak_bytes = memory_use().peak;
    const Index tokens = all_tokens_ + tokens_;
    if (tokens > 0) outcome_.gflops = 1e-9 * flops(tokens) / (all_seconds_ + token_seconds_);
    return outcome_;
  }

  /// Records why training diverged, unless a resumed run hasn't changed its folder yet.
  void record_divergence(const std::string& why) {
    if (committed_ || !folder_->has_deferred()) mark_diverged(folder_->path(), why);
    report_last_step();
  }

 private:
  Module& module() { return *learner_.model->module; }
  void take_steps() {
    while (!is_done() && !outcome_.interrupted) {
      const bool saved = advance();
      if (is_done() || !learner_.any(*stop_)) continue;
      if (!saved) {
        check_weights();
        save();
      }
      outcome_.interrupted = true;
    }
  }
  static Index step_of(const std::string& line) {
    return parse_json(line).value()["step"].integer().value();
  }
  /// Returns whether the last metrics line belongs to the last completed step.
  bool has_line(const std::vector<std::string>& lines) const {
    return !lines.empty() && step_of(lines.back()) == outcome_.steps;
  }
  /// Returns the floating-point operations to train on `tokens` tokens, in sequences of the task's
  /// full length.
  double flops(Index tokens) {
    const Batch longest = longest_batch(*learner_.model, *learner_.task);
    const double share = static_cast<double>(tokens) / static_cast<double>(longest.inputs.size());
    return share * step_flops(module(), longest, learner_.loss.get());
  }
  bool is_done() const {
    return outcome_.steps >= learner_.config.steps || outcome_.reached_goal ||
           outcome_.out_of_patience;
  }

  /// Reads the records of completed steps from rank 0's folder. Returns the last metrics line if
  /// its evaluation is pending.
  std::string read_record() {
    std::string unevaluated;
    if (folder_ && folder_->has_checkpoint()) {
      const CheckpointRecord record = folder_->last_metadata();
      saved_ = outcome_.steps;
      note_ = record.digest_note;
      unevaluated = record.line;
    }
    if (folder_) recorded_ = lines_to(outcome_.steps);
    if (!unevaluated.empty() && has_line(recorded_) &&
        !has_evaluation(parse_json(recorded_.back()).value()))
      recorded_.pop_back();  // its evaluation was interrupted
    const std::string lines = learner_.broadcast(fmt::format("{}", fmt::join(recorded_, "\n")));
    if (!folder_) recorded_ = split_lines(lines);
    return learner_.broadcast(unevaluated);
  }

  /// Returns the metrics lines up to a step. Later lines will be written again.
  std::vector<std::string> lines_to(Index step) const {
    std::vector<std::string> lines = folder_->read_metrics();
    const auto is_later = [&](const std::string& line) { return step_of(line) > step; };
    erase_if(lines, is_later);
    return lines;
  }

  /// Prepares the folder for continuing from its last checkpoint. Called after the first successful
  /// step or evaluation; until then, a resumed run stays unchanged.
  void commit() {
    if (!folder_ || std::exchange(committed_, true)) return;
    folder_->trim(learner_.config.keep);
    folder_->rewind_metrics(has_line(recorded_) ? outcome_.steps : outcome_.steps - 1);
    folder_->commit();
    if (!is_done()) append_session(folder_->path(), session_, outcome_.steps);
    clear_diverged(folder_->path());
    if (learner_.config.tensorboard) events_.emplace(folder_->path(), recorded_);
    if (learner_.config.csv) table_.emplace(folder_->path(), recorded_);
    // A crash after the line of the best evaluation may have prevented the link to its checkpoint.
    if (outcome_.best_step == saved_ && saved_ >= 0) folder_->mark_best(learner_.config.keep);
  }

  /// Restores earlier evaluations from the metrics lines, which keep full precision.
  void recall(const std::vector<std::string>& lines) {
    for (const std::string& text : lines) {
      const Json line = parse_json(text).value();
      if (!line["skipped"].is_null()) ++outcome_.skipped;
      if (!has_evaluation(line)) continue;
      note(line["step"].integer().value(), evaluation_in(line));
    }
  }

  /// Records an evaluation, and returns whether it is the best so far. Only an evaluation of the
  /// current step can end training.
  bool note(Index step, const Evaluation& evaluation) {
    const bool is_current = step == outcome_.steps, is_first = outcome_.best_step < 0;
    const bool best =
        std::isfinite(evaluation.loss) &&
        (is_first || is_better(evaluation, outcome_.best, learner_.task->has_answers()));
    without_better_ = best ? 0 : without_better_ + 1;
    outcome_.reached_goal = is_current && goal_ && goal_->reached(evaluation);
    outcome_.out_of_patience = is_current && learner_.config.patience > 0 && patience_left() == 0;
    if (!best) return false;
    outcome_.best = evaluation;
    outcome_.best_step = step;
    return true;
  }
  Index patience_left() const {
    return std::max<Index>(learner_.config.patience - without_better_, 0);
  }

  /// Runs one step, and then writes the checkpoint, evaluation and metrics line that are due.
  /// Returns whether it saved a checkpoint.
  bool advance() {
    const TrainConfig& config = learner_.config;
    const Index done = outcome_.steps + 1;
    const bool due = config.eval_every > 0 && done % config.eval_every == 0;
    const bool evaluates = due || done == config.steps;
    const bool reports =
        folder_ && (evaluates || done % report_every_ == 0 || observer_.wants_line(done) ||
                    since_line_.seconds() >= most_seconds_without_line);
    std::optional<WeightSnapshot> before;
    if (reports) before.emplace(module());

    const Stopwatch watch;
    const StepResult result =
        learner_.step(outcome_.steps, profiler_ ? profiler_->at(outcome_.steps) : nullptr);
    const double seconds = watch.seconds();
    if (profiler_) profiler_->stepped(outcome_.steps, seconds);
    token_seconds_ += seconds;
    tokens_ += result.tokens;
    const std::string fault = result.is_finite() ? "" : handle_non_finite(result);
    commit();
    outcome_.steps = done;
    observer_.stepped(done, learner_.optimizer->lr, result);
    if (const std::string notice = norms_.notice(result.norm); !notice.empty())
      observer_.noticed(done, notice);

    last_step_ = {{"step", done},
                  {"loss", result.loss},
                  {"lr", learner_.optimizer->lr},
                  {"grad_norm", result.norm}};
    if (!fault.empty())
      last_step_["skipped"] = fault;
    else if (before)
      last_step_["update_ratio"] = before->update_ratio();
    if (evaluates) {
      check_weights();
      save(to_text(last_step_));
      conclude();
    } else if (reports || !fault.empty()) {
      report_last_step();
    }
    return evaluates;
  }

  /// Evaluates after the last step, and writes the step's metrics line. Until then, the checkpoint
  /// holds this line, so that it isn't lost if the evaluation fails or is interrupted.
  void conclude() {
    outcome_.interrupted = !evaluate_now();
    if (outcome_.interrupted) return;
    const bool best = note(outcome_.steps, outcome_.evaluation);
    if (!folder_) return;
    report(completed(last_step_, true));
    if (best) folder_->mark_best(learner_.config.keep);
  }

  /// Returns the cause of a non-finite loss or gradient. Throws a DivergedError without
  /// --skip-bad-steps, or if skipping doesn't help.
  std::string handle_non_finite(const StepResult& result) {
    constexpr Index most = 100;  // consecutive skipped steps
    const Index step = outcome_.steps + 1;
    const std::string cause = learner_.explain_non_finite(outcome_.steps);
    const std::string what = fmt::format("step {}: loss {}, gradient norm {}: {}", step,
                                         result.loss, result.norm, cause);
    if (!learner_.config.skip_bad_steps)
      throw DivergedError(
          step, fmt::format("{}; {}; try a smaller --lr or --clip, or --skip-bad-steps true", what,
                            kept()));
    bad_in_a_row_ = last_bad_ == step - 1 ? bad_in_a_row_ + 1 : 1;
    last_bad_ = step;
    if (bad_in_a_row_ >= most || first_non_finite_parameter(module()))
      throw DivergedError(step,
                          fmt::format("{}; {}; skipping steps no longer helps", what, kept()));
    ++outcome_.skipped;
    observer_.noticed(step, "skipped: " + cause);
    return cause;
  }

  /// Returns the part of an error message that says which checkpoint remains.
  std::string kept() const {
    return saved_ < 0 ? "no checkpoint was saved"
                      : fmt::format("the checkpoint of step {} is kept", saved_);
  }

  void check_weights() {
    if (const Parameter* p = first_non_finite_parameter(module()))
      throw DivergedError(
          outcome_.steps,
          fmt::format("step {}: the update made {} non-finite; {}; try a smaller --lr",
                      outcome_.steps, p->path, kept()));
  }

  /// Evaluates the model. Returns false if the evaluation was interrupted.
  bool evaluate_now() {
    const Evaluation evaluation = learner_.evaluate(
        evaluated_examples(learner_.config, *learner_.task),
        [&](const Evaluation& result) {
          entropy_ = attention_entropy(*learner_.model, *learner_.task);
          commit();
          observer_.evaluated(outcome_.steps, result);
        },
        [&](double fraction) { observer_.evaluating(outcome_.steps, fraction); }, stop_);
    if (evaluation.examples == 0) return false;
    outcome_.evaluation = evaluation;
    const EvaluationWeights in_model(learner_.average.get(), learner_.optimizer.get());
    outcome_.digest = with_note(digest(module()), note_);
    return true;
  }

  void save(const std::string& unevaluated = "") {
    if (folder_)
      folder_->save(module(), *learner_.optimizer, outcome_.steps,
                    {learner_.average.get(), false, learner_.config.keep, note_, unevaluated});
    saved_ = outcome_.steps;
  }

  /// Completes a metrics line: the step's results, the evaluation, then the rest.
  Json completed(const Json& of_step, bool evaluated) {
    const Json::Object& members = of_step.members();
    constexpr std::size_t first = 4;  // step, loss, lr and grad_norm
    Json line;
    for (std::size_t i = 0; i < first; ++i) line[members[i].name] = members[i].value;
    if (evaluated) {
      line["val_loss"] = outcome_.evaluation.loss;
      if (learner_.loss)
        line["loss_is"] = {{"name", learner_.loss->name}, {"unit", learner_.loss->unit}};
      if (const double bits = outcome_.evaluation.bits_per_byte; bits > 0)
        line["bits_per_byte"] = bits;
      if (learner_.task->has_answers()) line["exact_match"] = outcome_.evaluation.exact_match;
      for (const auto& [name, value] : outcome_.evaluation.metrics) line["metrics"][name] = value;
      if (learner_.config.patience > 0) line["patience_left"] = patience_left();
      if (learner_.task->has_curves()) line["curves"] = to_json(outcome_.evaluation.curves);
      line["digest"] = outcome_.digest;
      if (!entropy_.is_null()) line["attention_entropy"] = entropy_;
      if (learner_.config.histograms) line["histograms"] = learner_.histograms(outcome_.steps - 1);
    }
    if (Json scales = learned_scales(module()); !scales.is_null())
      line["attention_scale"] = std::move(scales);
    for (std::size_t i = first; i < members.size(); ++i) line[members[i].name] = members[i].value;
    return line;
  }

  /// Writes the last step's metrics line, unless it was already written or the folder must not
  /// change yet.
  void report_last_step() {
    if (committed_ && !last_step_.is_null()) report(completed(last_step_, false));
  }

  void report(Json line) {
    line["time"] = {{"seconds", watch_.seconds()}};
    if (tokens_ > 0)
      line["time"]["tokens_per_second"] = static_cast<double>(tokens_) / token_seconds_;
    folder_->append_metrics(to_text(line));
    if (events_) events_->append(line);
    if (table_) table_->append(line);
    observer_.recorded(line);
    all_tokens_ += tokens_;
    all_seconds_ += token_seconds_;
    tokens_ = 0;
    token_seconds_ = 0;
    last_step_ = Json();
    since_line_ = Stopwatch();
  }

  RunFolder* folder_;  // null on ranks other than 0
  TrainObserver& observer_;
  const std::atomic<bool>* stop_ = nullptr;
  Profiler* profiler_;  // may be null
  const Json session_;
  Learner learner_;
  std::optional<Goal> goal_;
  std::optional<EventFile> events_;
  std::optional<MetricsTable> table_;
  Index report_every_;
  std::vector<std::string> recorded_;  // metrics lines to keep
  bool committed_ = false;
  TrainOutcome outcome_;
  GradientNormMonitor norms_;
  Json last_step_;  // metrics line, until it is written
  Stopwatch since_line_;
  Json entropy_;      // attention entropy at the last evaluation
  std::string note_;  // note on weight hashes
  Index saved_ = -1, last_bad_ = -1, bad_in_a_row_ = 0;
  Index without_better_ = 0;  // number of evaluations since the best one
  Stopwatch watch_;
  // Tokens and duration of the steps since the last metrics line, and of all steps before that.
  Index tokens_ = 0, all_tokens_ = 0;
  double token_seconds_ = 0, all_seconds_ = 0;
};

}  // namespace

TrainOutcome train(const Plan& plan, const Registry& registry, RunFolder& folder,
                   TrainObserver& observer, const std::atomic<bool>& stop, Profiler* profiler,
                   const MakeRanks& make_ranks) {
  const FloatMode mode;
  Training training(plan, registry, &folder, observer, profiler, make_ranks);
  try {
    return training.run(stop);
  } catch (const DivergedError& error) {
    try {
      training.record_divergence(error.what());
    } catch (const FileError&) {  // report the divergence instead
    }
    throw;
  }
}

void follow(const Plan& plan, const Registry& registry, const std::atomic<bool>& stop,
            const MakeRanks& make_ranks) {
  const FloatMode mode;
  TrainObserver nobody;
  Training(plan, registry, nullptr, nobody, nullptr, make_ranks).run(stop);
}

}  // namespace tapehead
