#include "verification.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../cli/options/run_files.hpp"
#include "../../cli/terminal/progress.hpp"
#include "../../core/numerics.hpp"
#include "../../train/config/config.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/diverged.hpp"
#include "../../train/runs/provenance.hpp"
#include "../../train/runs/step_folders.hpp"
#include "initial_weights.hpp"
#include "run.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// A temporary folder for a run; the destructor removes it.
class TemporaryRun {
 public:
  TemporaryRun() : path_(unused_temporary((fs::temp_directory_path() / "verify").string())) {}
  ~TemporaryRun() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryRun(const TemporaryRun&) = delete;
  TemporaryRun& operator=(const TemporaryRun&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Throws UsageError if the checkpoint in --init has changed since the run started from it.
void check_init(const RunFolder& folder, const TrainConfig& config,
                const CheckpointRecord& record) {
  if (config.init.empty()) return;
  if (!exists(config.init))
    throw UsageError("verify: {} started from {}, which no longer exists", folder.path(),
                     visible(config.init));
  const std::string recorded = recorded_digest(record.data, "init"),
                    now = recorded_digest(data_digests(config), "init");
  if (!recorded.empty() && now != recorded)
    throw UsageError("verify: {} started from {}, whose weights have changed", folder.path(),
                     visible(config.init));
}

/// Throws UsageError if this program and the current data can't reproduce the run.
void check_repeatable(const RunFolder& folder, const TrainConfig& config,
                      const CheckpointRecord& record) {
  std::string changes;
  for (const Json& session : sessions_of(folder)) {
    const std::string found = code_changes(session);
    const auto recorded = numerics_of(session);
    if (recorded ? *recorded != numerics : starts_with(found, "version "))
      throw UsageError("verify: {} was trained by {}; {}, so verify it with version {}",
                       folder.path(), found,
                       recorded ? "the numerics differ" : "it recorded no numerics",
                       visible(session["version"].string()));
    if (changes.empty() && !found.empty())
      changes = fmt::format("{}; {}", found, effect_of_changes(session));
  }
  for (const std::string& option : changed_data(config.task_options, record.data))
    throw UsageError("verify: {} has changed since {} was trained on it; restore it",
                     config.task_options.at(option), folder.path());
  check_init(folder, config, record);
  if (!record.digest_note.empty())
    throw UsageError(
        "verify: {} was trained by an older build, which rounds differently ({}); train it again",
        folder.path(), visible(record.digest_note));
  if (!changes.empty()) message(fmt::format("{} was trained by {}", folder.path(), changes));
}

/// Returns the weight hashes of a run's checkpoints by step, up to the last step to compare.
/// Records an unreadable checkpoint in `found`.
std::map<Index, std::string> saved_weight_hashes(const RunFolder& folder, Index last,
                                                 Verification& found) {
  std::map<Index, std::string> kept;
  for (const StepFolder& step : step_folders(folder.path())) {
    if (step.step < 1 || step.step > last || kept.count(step.step) > 0) continue;
    const std::string checkpoint = folder.path() + "/" + step.name();
    try {
      if (is_complete_checkpoint(checkpoint))
        kept[step.step] = digest(read_record(checkpoint).weights);
    } catch (const SystemError&) {
      throw;
    } catch (const FileError& error) {
      found.damaged = error.what();
    }
  }
  return kept;
}

/// Compares each new line of metrics with the recorded one, and the weights with each
/// checkpoint. Stops training at the first difference, or after the last step to compare.
class Verifier : public TrainObserver {
 public:
  Verifier(Verification& found, const std::vector<std::string>& recorded, TrainObserver& observer,
           const std::atomic<bool>& interrupt)
      : found_(found), observer_(observer), interrupt_(interrupt) {
    for (const std::string& line : recorded)
      recorded_[*parse_json(line).value()["step"].integer()] = line;
  }

  void began(const TrainConfig& config, const TaskModel& model, Index first) override {
    model_ = &model;
    is_averaged_ = config.average > 0;
    interval_ = report_interval(config);
    observer_.began(config, model, first);
  }
  void stepped(Index step, double lr, const StepResult& result) override {
    observer_.stepped(step, lr, result);
    compare();
    // With EMA, checkpoints have averaged weights. The model has these only during an evaluation,
    // whose line contains their hash.
    if (!is_averaged_ && kept.count(step) > 0) compare_weights(step, digest(*model_->module));
    // Stops one step after the last: stopping at the last step would skip its evaluation.
    if (step > last_step || interrupt_) stop = true;
  }
  void evaluating(Index step, double fraction) override {
    observer_.evaluating(step, fraction);
    if (interrupt_) stop = true;
  }
  void evaluated(Index step, const Evaluation& evaluation) override {
    observer_.evaluated(step, evaluation);
  }
  bool wants_line(Index step) override { return recorded_.count(step) > 0; }
  void noticed(Index step, const std::string& text) override { observer_.noticed(step, text); }

  /// Compares the last written line of metrics, unless it has already been compared.
  void compare() {
    if (!exists(folder + "/metrics.jsonl")) return;
    const Json again = last_line(folder);
    const std::optional<Index> step = again["step"].integer();
    if (!step || *step <= found_.steps || *step > last_step || found_.first_step >= 0) return;
    found_.steps = *step;
    const std::string hash = again["digest"].string();
    if (is_averaged_ && !hash.empty()) compare_weights(*step, hash.substr(0, hash.find(' ')));
    const auto line = recorded_.find(*step);
    if (line == recorded_.end()) {
      const bool is_expected =
          !hash.empty() || !again["skipped"].is_null() || *step % interval_ == 0;
      if (is_expected) found_.missing.push_back(*step);
      return;
    }
    const Json recorded = parse_json(line->second).value();
    if (!recorded["digest"].string().empty())
      found_.evaluations.push_back({*step, recorded["digest"].string(), again["digest"].string()});
    const ComparedMetrics compared = compare_metrics({line->second}, {to_text(again)});
    if (compared.first_step < 0) return;
    found_.first_step = compared.first_step;
    found_.first = compared.first;
    stop = true;
  }

  std::string folder;
  std::map<Index, std::string> kept;  ///< weight hashes of checkpoints, by step
  Index last_step = 0;
  std::atomic<bool> stop{false};

 private:
  void compare_weights(Index step, const std::string& again) {
    const auto there = kept.find(step);
    if (there == kept.end()) return;
    found_.checkpoints.push_back({step, there->second, again});
    if (!found_.checkpoints.back().same()) stop = true;
  }

  const TaskModel* model_ = nullptr;
  bool is_averaged_ = false;
  Index interval_ = 1;
  Verification& found_;
  TrainObserver& observer_;
  const std::atomic<bool>& interrupt_;
  std::map<Index, std::string> recorded_;
};

/// Returns the step in `why`, the recorded reason that a run diverged; 0 if it is empty.
Index diverged_at(const std::string& why) {
  constexpr const char* start = "step ";
  return starts_with(why, start) ? std::atoll(why.c_str() + std::string(start).size()) : 0;
}

}  // namespace

Verification verify_run(const VerifyArguments& arguments, const Session& session,
                        const std::atomic<bool>& stop) {
  const auto& [path, data, steps, json] = arguments;
  const Registry& registry = session.registry;
  const RunFolder folder = RunFolder::open(path);
  TrainConfig config = trained_config(folder, registry);
  // Checkpoints don't record log_every.
  config.log_every = recorded_config(folder, registry).log_every;
  config = with_files(config, moved_files(config, folder, registry));
  if (!data.empty() && config.task_options.count("data") == 0)
    throw UsageError("{} is a run of {}, which has no option --data", folder.path(), config.task);
  if (!data.empty()) config.task_options["data"] = data;
  const std::vector<std::string> lines = folder.read_metrics();
  const std::string diverged = divergence_reason(folder.path());
  const std::vector<Index> kept = folder.steps();
  const Index last =
      std::max(lines.empty() ? 0 : *parse_json(lines.back()).value()["step"].integer(),
               kept.empty() ? 0 : kept.back());
  Verification found;
  found.run = folder.path();
  found.sessions = read_sessions(folder.path());
  found.origin = origin_of_weights(found.sessions);
  if (last == 0 && diverged.empty() && found.origin.empty())
    throw UsageError("verify: {} has neither metrics nor checkpoints to compare", folder.path());
  if (last == 0 && !found.origin.empty() && found.origin != "compiled")
    throw UsageError(
        "verify: the weights of {} were {}, not trained; do that again, and compare what 'digest' "
        "prints for both runs",
        folder.path(), found.origin);
  const Index all = std::max(last, diverged_at(diverged));
  if (steps > 0 && all == 0)
    throw UsageError("--steps has no effect on {}, whose weights were {}, not trained; remove it",
                     folder.path(), found.origin);
  if (steps < 0 || steps > all)
    throw UsageError("--steps must be from 1 to {}, the last recorded step of {}, got {}", all,
                     folder.path(), steps);
  check_repeatable(folder, config, folder.last_record());
  std::shared_ptr<const Task> task;
  try {
    task = make_task(config, registry);
    held_out_size(*task);  // reads the files of the task `text`, to check them
  } catch (const FileError& error) {
    throw UsageError("verify: {}; {} was trained on it", error.what(), folder.path());
  }

  const Index last_step = steps > 0 ? steps : all;
  const TemporaryRun place;
  config.out = place.path();
  config.tensorboard = false;
  config.keep = 1;
  RunFolder again = RunFolder::create(place.path());
  if (const auto weights = start_again(folder, found.origin, config, *task, registry, all, again))
    found.checkpoints.push_back({0, weights->recorded, weights->again});
  if (all == 0) return found;
  std::unique_ptr<TrainObserver> observer = std::make_unique<TrainObserver>();
  if (!json && session.terminal.live)
    observer = std::make_unique<Progress>(session.terminal, *task, Shown{0});
  Verifier verifier(found, lines, *observer, stop);
  verifier.folder = place.path();
  verifier.last_step = last_step;
  verifier.kept = saved_weight_hashes(folder, last_step, found);
  const auto differ = [&](Index step, const Json& recorded, const Json& now) {
    if (found.first_step >= 0) return;
    found.first_step = step;
    found.first.push_back({"diverged", recorded, now});
  };
  const bool to_the_end = verifier.last_step == all && !diverged.empty();
  try {
    train(make_plan(config, registry, task), registry, again, verifier, verifier.stop);
    verifier.compare();
    found.interrupted = stop && found.steps < verifier.last_step;
    if (to_the_end && !found.interrupted) differ(all, diverged, nullptr);
  } catch (const DivergedError& error) {
    verifier.compare();
    if (error.step > verifier.last_step) return found;
    if (diverged_at(diverged) != error.step) differ(error.step, nullptr, error.what());
    found.steps = error.step;
  }
  return found;
}

}  // namespace tapehead
