#include "run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../core/system/file.hpp"
#include "../../train/config/goal.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/runs/diverged.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/runs/provenance.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/runs/step_folders.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>

namespace tapehead {
namespace {

namespace fs = std::filesystem;
using State = ListedRun::State;

/// Sets the run's state and reason, unless an earlier fault has set them.
void set_fault(ListedRun& run, State state, const std::string& reason) {
  if (!run.reason.empty()) return;
  run.state = state;
  run.reason = reason;
}

/// Returns an error's message without the path of the run's folder.
std::string within(const std::string& folder, const Error& error) {
  const std::string text = error.what(), start = folder + "/";
  return text.compare(0, start.size(), start) == 0 ? text.substr(start.size()) : text;
}

/// Sets the run's time to a file's time if that is later.
void note_date(ListedRun& run, const std::string& path) {
  using Seconds = std::chrono::duration<double>;
  std::error_code reason;
  const fs::file_time_type time = fs::last_write_time(path, reason);
  if (reason) return;
  // The file clock's epoch is unspecified before C++20. The clocks differ by a whole number of
  // seconds; rounding their measured difference gives the same result in each call.
  const double apart = Seconds(std::chrono::system_clock::now().time_since_epoch()).count() -
                       Seconds(fs::file_time_type::clock::now().time_since_epoch()).count();
  const double written = Seconds(time.time_since_epoch()).count() + std::round(apart);
  run.written = std::max(run.written, std::optional(written));  // nullopt is less than every time
}

void add_number(ListedRun& run, std::string name, const Json& value) {
  if (!value.is_number()) return;
  std::replace(name.begin(), name.end(), '_', '-');
  run.metrics.emplace(name, value.number());
}

/// Reads the evaluation results and other metrics in a line of metrics.jsonl.
void read_line(ListedRun& run, const Json& line) {
  for (const Json::Member& member : line.members())
    if (member.name == "val_loss")
      add_number(run, "loss", member.value);
    else if (member.name != "step" && member.name != "loss" && member.name != "lr")
      add_number(run, member.name, member.value);
  for (const Json::Member& own : line["metrics"].members()) add_number(run, own.name, own.value);
}

void read_checkpoints(ListedRun& run, Index last) {
  run.step = std::max(run.step, last);
  bool has_last = false;
  for (const StepFolder& step : step_folders(run.path)) {
    if (step.step != last || !is_complete_checkpoint(run.path + "/" + step.name())) continue;
    has_last = true;
    note_date(run, run.path + "/" + step.name() + "/" + model_file);
  }
  if (last >= 0 && !has_last) throw FileError("a file of the last checkpoint is missing");
}

/// A reader of the runs below a folder, which caches each task's options.
class Reader {
 public:
  explicit Reader(const Registry& registry) : registry_(registry) {}

  /// Reads the runs at and below `path`; `name` is the path relative to the listed folder.
  void read_below(const std::string& path, const std::string& name) {
    std::string fault;
    std::set<std::string> names, folders;
    for (const FolderEntry& entry : entries_of(path, fault)) {
      names.insert(entry.name);
      if (entry.is_folder && !is_temporary(entry.name)) folders.insert(entry.name);
    }
    if (!fault.empty() && name.empty())
      throw FileError("{}: {}; expected a folder that contains runs", path, fault);
    if (!fault.empty() || is_run(names)) {
      ListedRun run;
      run.path = path;
      run.run = name.empty() ? path : name;
      run.reason = fault;
      if (fault.empty()) read_run(run, names);
      found.push_back(std::move(run));
      return;
    }
    for (const std::string& each : folders)
      read_below(path == "/" ? path + each : path + "/" + each,
                 name.empty() ? each : name + "/" + each);
  }

  std::vector<ListedRun> found;

 private:
  using Names = std::set<std::string>;

  /// Returns whether a folder with files of these names is a run, possibly damaged or incomplete.
  static bool is_run(const Names& names) {
    if (names.count("config.toml") > 0 || names.count(metrics_name) > 0) return true;
    const auto is_step = [](const std::string& name) { return step_folder(name).has_value(); };
    if (any_of(names, is_step)) return true;
    return names.count("lock") > 0 && all_of(names, [](const std::string& name) {
             return name == "lock" || name == data_name || name == validation_name ||
                    is_temporary(name);
           });
  }

  void read_run(ListedRun& run, const Names& names) {
    const auto guarded = [&](const auto& step) {
      try {
        step();
      } catch (const Error& error) {
        set_fault(run, State::damaged, within(run.path, error));
      }
    };
    bool ended = false;  // whether --until or --patience ended the run
    guarded([&] {
      if (names.count("config.toml") == 0) throw FileError("config.toml is missing");
      read_config(run, names);
      const RunFolder folder = RunFolder::open(run.path, [](const std::string&) {});
      guarded([&] { read_checkpoints(run, folder.last_step()); });
      guarded([&] { ended = read_metrics(run, folder.best_step()); });
      guarded([&] { run.labels = read_labels(run.path); });
      guarded([&] { run.sessions = read_sessions(run.path); });
      guarded([&] {
        if (const std::string why = divergence_reason(run.path); !why.empty())
          set_fault(run, State::diverged, why);
      });
      guarded([&] {
        if (not_finite_ >= 0)
          set_fault(run, State::diverged,
                    fmt::format("the validation loss at step {} isn't finite", not_finite_));
      });
    });
    if (run.reason.empty())
      guarded([&] {
        const bool is_done = (run.steps() > 0 && run.step >= run.steps()) || ended;
        const bool is_written =
            run.sessions.size() == 1 && !origin_of_weights(run.sessions).empty();
        run.state = is_done ? State::done : is_written ? State::complete : State::interrupted;
      });
    guarded([&] {
      if (is_locked(run.path + "/lock")) run.state = State::training;
    });
  }

  void read_config(ListedRun& run, const Names& names) {
    // Many programs write a config.toml, so other files must show that the folder is a run.
    const bool has_traces =
        names.count("lock") > 0 || names.count(metrics_name) > 0 || names.count("checkpoint") > 0;
    const std::string path = run.path + "/config.toml";
    Settings settings;
    try {
      settings = parse_toml(require_utf8(read_file(path), path), path);
    } catch (const FileError& error) {
      if (!has_traces) return set_fault(run, State::foreign, "config.toml doesn't belong to a run");
      return set_fault(run, State::damaged, within(run.path, error));
    }
    run.options.insert(settings.begin(), settings.end());
    const auto take = [&](const char* name) {
      const auto option = run.options.extract(name);
      return option.empty() ? "" : option.mapped();
    };
    run.task = take("task");
    run.version = take("version");
    take("working-directory");
    const std::string program = take("program");
    if (!program.empty() && program != registry_.program)
      return set_fault(run, State::foreign,
                       fmt::format("created by the program '{}'", visible(program)));
    if (run.task.empty() && !has_traces)
      return set_fault(run, State::foreign, "config.toml doesn't belong to a run");
    if (run.task.empty())
      return set_fault(run, State::damaged, "config.toml: expected a line 'task = \"NAME\"'");
    const Names* known = options_of(run.task);
    if (!known)
      return set_fault(run, State::foreign, fmt::format("unknown task '{}'", visible(run.task)));
    for (const auto& option : run.options)
      if (known->count(option.first) == 0)
        return set_fault(run, State::foreign,
                         fmt::format("unknown option '{}'", visible(option.first)));
  }

  /// Returns the names of a task's options; null if there is no such task.
  const Names* options_of(const std::string& task) {
    const auto& tasks = registry_.tasks();
    const auto entry = find_named(tasks, task);
    if (entry == tasks.end()) return nullptr;
    const auto [at, is_new] = options_.try_emplace(task);
    if (is_new)
      for (const Option& option : all_options(*entry, registry_)) at->second.insert(option.name);
    return &at->second;
  }

  /// Reads the metrics of a run whose best step is `best`. Returns whether --until or --patience
  /// ended the run.
  bool read_metrics(ListedRun& run, Index best) {
    not_finite_ = -1;
    if (!exists(run.path + "/" + metrics_name)) return false;
    note_date(run, run.path + "/" + metrics_name);
    const Json last = last_line(run.path);
    if (last.is_null()) return false;
    run.step = std::max(run.step, *last["step"].integer());
    add_number(run, "train-loss", last["loss"]);
    add_number(run, "time", last["time"]["seconds"]);
    add_number(run, "speed", last["time"]["tokens_per_second"]);
    const Json evaluated = last["val_loss"].is_null() ? last_evaluated_line(run.path) : last;
    read_line(run, evaluated);
    read_line(run, last);
    run.digest = evaluated["digest"].string();
    if (has_evaluation(evaluated) && !evaluated["val_loss"].is_number())
      not_finite_ = *evaluated["step"].integer();
    if (best >= 0) {
      const Json line = evaluated_line(run.path, best);
      add_number(run, "best-loss", line["val_loss"]);
      add_number(run, "best-exact-match", line["exact_match"]);
      run.metrics.emplace("best-step", static_cast<double>(best));
    }
    const auto until = run.options.find("until");
    return last["step"].integer() == run.step &&
           ended_early(last, until == run.options.end() ? "" : until->second);
  }

  const Registry& registry_;
  std::map<std::string, Names> options_;
  Index not_finite_ = -1;  // step of the last evaluation if its loss isn't finite, else -1
};

/// Pads the numbers in a name to 20 digits, so that copy-2 sorts before copy-10.
std::string natural_key(const std::string& name) {
  std::string key;
  for (std::size_t i = 0, end = 0; i < name.size(); i = end) {
    for (end = i; end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0;)
      ++end;
    if (end == i)
      key += name[end++];
    else
      key += fmt::format("{:0>20}", name.substr(i, end - i));
  }
  return key;
}

}  // namespace

Index ListedRun::steps() const {
  const auto found = options.find("steps");
  return found == options.end() ? 0 : read_whole<Index>(found->second).value_or(0);
}

const char* state_name(State state) {
  constexpr const char* words[] = {"training", "done",    "complete", "interrupted",
                                   "diverged", "damaged", "foreign"};
  return words[static_cast<int>(state)];
}

std::vector<FolderEntry> entries_of(const std::string& path, std::string& fault) {
  std::vector<FolderEntry> entries;
  std::error_code reason, unknown;
  for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
       at.increment(reason))
    entries.push_back(
        {at->path().filename().string(), fs::is_directory(at->symlink_status(unknown))});
  if (reason) fault = system::error_message(reason);
  return entries;
}

std::vector<ListedRun> runs_below(const std::string& folder, const Registry& registry) {
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  Reader reader(registry);
  reader.read_below(path, "");
  std::sort(reader.found.begin(), reader.found.end(), [](const ListedRun& a, const ListedRun& b) {
    return std::make_pair(natural_key(a.run), a.run) < std::make_pair(natural_key(b.run), b.run);
  });
  return std::move(reader.found);
}

}  // namespace tapehead
