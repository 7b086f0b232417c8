#include "verify.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/diverged.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/starts_with.hpp"
#include "metrics_tail.hpp"

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
  if (!config.init.empty() && !exists(config.init))
    throw UsageError("verify: {} started from {}, which isn't there any more", folder.path(),
                     visible(config.init));
  if (const std::string here = digest_note(config.dtype == "bf16");
      !record.weights.empty() && record.digest_note != here)
    throw UsageError(
        "verify: {} was trained with {}, and here it would be {}: digests differ between these",
        folder.path(), record.digest_note.empty() ? "exact products" : visible(record.digest_note),
        here.empty() ? "exact products" : here);
}

/// Compares each line once it is written, and stops training at the first that differs, and behind
/// the last that is to be compared.
class Verifier : public TrainObserver {
 public:
  Verifier(Verification& found, const std::vector<std::string>& recorded, TrainObserver& observer,
           const std::atomic<bool>& interrupt)
      : found_(found), observer_(observer), interrupt_(interrupt) {
    for (const std::string& line : recorded)
      recorded_[*parse_json(line).value()["step"].integer()] = line;
  }

  void began(const TrainConfig& config, const TaskModel& model, Index first) override {
    observer_.began(config, model, first);
  }
  void stepped(Index step, double lr, const StepResult& result) override {
    observer_.stepped(step, lr, result);
    compare();
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
    const auto line = recorded_.find(*step);
    if (line == recorded_.end()) return;
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
  Index last_step = 0;
  std::atomic<bool> stop{false};

 private:
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

Verification verify_run(const std::string& path, Index steps, const Registry& registry,
                        const MakeObserver& make_observer, const std::atomic<bool>& stop) {
  const RunFolder folder = RunFolder::open(path);
  TrainConfig config = trained_config(folder, registry);
  const std::vector<std::string> lines = folder.read_metrics();
  const std::string diverged = why_diverged(folder.path());
  const Index last = lines.empty() ? 0 : *parse_json(lines.back()).value()["step"].integer();
  if (last == 0 && diverged.empty())
    throw UsageError("verify: {} has no metrics yet, so there is nothing to compare",
                     folder.path());
  const Index all = std::max(last, diverged_at(diverged));
  if (steps < 0 || steps > all)
    throw UsageError("--steps must be from 1 to {}, the last that {} recorded, not {}", all,
                     folder.path(), steps);
  check_repeatable(folder, config, folder.last_record());
  std::shared_ptr<const Task> task;
  try {
    task = make_task(config, registry);
    task->held_out_size();  // reads the files of a text
  } catch (const FileError& error) {
    throw UsageError("verify: {}; {} was trained on it", error.what(), folder.path());
  }

  Verification found;
  found.run = folder.path();
  const TemporaryRun place;
  config.out = place.path();
  config.tensorboard = false;
  config.keep = 1;
  RunFolder again = RunFolder::create(place.path());
  const std::unique_ptr<TrainObserver> observer = make_observer(*task);
  Verifier verifier(found, lines, *observer, stop);
  verifier.folder = place.path();
  verifier.last_step = steps > 0 ? steps : all;
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
