#include "verify.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../cli/options/run_files.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/diverged.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/starts_with.hpp"
#include "../../train/watch/report_interval.hpp"
#include "metrics_tail.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// A place for a run, which goes with it.
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

/// Throws UsageError unless the weights of --init are those that the run started from.
void check_init(const RunFolder& folder, const TrainConfig& config,
                const CheckpointRecord& record) {
  if (config.init.empty()) return;
  if (!exists(config.init))
    throw UsageError("verify: {} started from {}, which isn't there any more", folder.path(),
                     visible(config.init));
  const std::string recorded = recorded_digest(record.data, "init"),
                    now = recorded_digest(data_digests(config), "init");
  if (!recorded.empty() && now != recorded)
    throw UsageError("verify: {} started from {}, whose weights have changed since", folder.path(),
                     visible(config.init));
}

/// Throws UsageError where the run can't be expected to come out the same here.
void check_repeatable(const RunFolder& folder, const TrainConfig& config,
                      const CheckpointRecord& record) {
  const std::string version = version_in(folder.read_config(), folder.path() + "/config.toml");
  if (!version.empty() && version != TAPEHEAD_VERSION)
    throw UsageError(
        "verify: {} was trained by version {}, and this is {}: bits may differ between versions",
        folder.path(), visible(version), TAPEHEAD_VERSION);
  for (const std::string& option : changed_data(config.task_options, record.data))
    throw UsageError("verify: {} has changed since {} was trained on it; restore it",
                     config.task_options.at(option), folder.path());
  check_init(folder, config, record);
  if (const std::string here = digest_note(config.dtype == "bf16");
      !record.weights.empty() && record.digest_note != here)
    throw UsageError(
        "verify: {} was trained with {}, and here it would be {}: digests differ between these",
        folder.path(), record.digest_note.empty() ? "exact products" : visible(record.digest_note),
        here.empty() ? "exact products" : here);
}

/// The digests of the weights in a run's checkpoints, by step, up to the last to be compared. A
/// checkpoint that can't be read is named in `found`.
std::map<Index, std::string> kept_weights(const RunFolder& folder, Index last,
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

/// Compares each line once it is written, and the weights at each step that has a checkpoint. Stops
/// training at the first that differs, and behind the last that is to be compared.
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
    // The averaged weights are in the model only at an evaluation, whose line has their digest.
    if (!is_averaged_ && kept.count(step) > 0) compare_weights(step, digest(*model_->module));
    // Behind the last step, whose evaluation would else be cut short.
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

  /// Compares the last line that is written, if it hasn't been yet.
  void compare() {
    if (!exists(folder + "/metrics.jsonl")) return;
    const Json again = MetricsTail(folder).last();
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
  std::map<Index, std::string> kept;  ///< digests of checkpoints, by step
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

/// The step at which a run diverged, by what is recorded of it; 0 where it didn't.
Index diverged_at(const std::string& why) {
  constexpr const char* start = "step ";
  return starts_with(why, start) ? std::atoll(why.c_str() + std::string(start).size()) : 0;
}

}  // namespace

bool Verification::agrees() const {
  return first_step < 0 && !interrupted && missing.empty() && damaged.empty() &&
         std::all_of(checkpoints.begin(), checkpoints.end(),
                     [](const Weights& each) { return each.same(); });
}

Verification verify_run(const std::string& path, Index steps, const std::string& data,
                        const Registry& registry, const MakeObserver& make_observer,
                        const std::atomic<bool>& stop) {
  const RunFolder folder = RunFolder::open(path);
  TrainConfig config = trained_config(folder, registry);
  config.log_every = recorded_config(folder, registry).log_every;  // no checkpoint records it
  config = with_files(config, moved_files(config, folder, registry));
  if (!data.empty() && config.task_options.count("data") == 0)
    throw UsageError("{} is a run of {}, which has no option --data", folder.path(), config.task);
  if (!data.empty()) config.task_options["data"] = data;
  const std::vector<std::string> lines = folder.read_metrics();
  const std::string diverged = why_diverged(folder.path());
  const std::vector<Index> kept = folder.steps();
  const Index last =
      std::max(lines.empty() ? 0 : *parse_json(lines.back()).value()["step"].integer(),
               kept.empty() ? 0 : kept.back());
  if (last == 0 && diverged.empty())
    throw UsageError("verify: {} has neither metrics nor a checkpoint to compare", folder.path());
  const Index all = std::max(last, diverged_at(diverged));
  if (steps < 0 || steps > all)
    throw UsageError("--steps must be from 1 to {}, the last that {} recorded, not {}", all,
                     folder.path(), steps);
  check_repeatable(folder, config, folder.last_record());
  std::shared_ptr<const Task> task;
  try {
    task = make_task(config, registry);
    held_out_size(*task);  // reads the files of a text
  } catch (const FileError& error) {
    throw UsageError("verify: {}; {} was trained on it", error.what(), folder.path());
  }

  Verification found;
  found.run = folder.path();
  const Index last_step = steps > 0 ? steps : all;
  const TemporaryRun place;
  config.out = place.path();
  config.tensorboard = false;
  config.keep = 1;
  RunFolder again = RunFolder::create(place.path());
  const std::unique_ptr<TrainObserver> observer = make_observer(*task);
  Verifier verifier(found, lines, *observer, stop);
  verifier.folder = place.path();
  verifier.last_step = last_step;
  verifier.kept = kept_weights(folder, last_step, found);
  const auto differ = [&](Index step, const Json& recorded, const Json& now) {
    if (found.first_step >= 0) return;
    found.first_step = step;
    found.first.push_back({"diverged", recorded, now});
  };
  const bool to_the_end = verifier.last_step == all && !diverged.empty();
  try {
    train(config, registry, again, verifier, verifier.stop, nullptr, task);
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
