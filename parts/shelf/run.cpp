#include "run.hpp"
#include "../../cli/options/config_file.hpp"
#include "../../train/config/goal.hpp"
#include "../../train/config/number.hpp"
#include "../../train/config/options.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/runs/diverged.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/utf8.hpp"
#include "date.hpp"
#include "metrics_tail.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using State = ShelfRun::State;

/// The first fault counts.
void spoil(ShelfRun& run, State state, const std::string& reason) {
  if (!run.reason.empty()) return;
  run.state = state;
  run.reason = reason;
}

/// What an error says, without the folder that it is about.
std::string within(const std::string& folder, const Error& error) {
  const std::string text = error.what(), start = folder + "/";
  return text.compare(0, start.size(), start) == 0 ? text.substr(start.size()) : text;
}

void add_number(ShelfRun& run, std::string name, const Json& value) {
  if (!value.is_number()) return;
  std::replace(name.begin(), name.end(), '_', '-');
  run.metrics.emplace(name, value.number());
}

/// What a line says of its step and of the evaluation there.
void read_line(ShelfRun& run, const Json& line) {
  for (const Json::Member& member : line.members())
    if (member.name == "val_loss")
      add_number(run, "loss", member.value);
    else if (member.name != "step" && member.name != "loss" && member.name != "lr")
      add_number(run, member.name, member.value);
  for (const Json::Member& own : line["metrics"].members()) add_number(run, own.name, own.value);
}

/// The newest of its files counts.
void note_date(ShelfRun& run, const std::string& path) {
  run.written = std::max(run.written, written_at(path));  // nothing is before any time
}

void read_metrics(ShelfRun& run, const RunFolder& folder) {
  if (!exists(run.path + "/" + metrics_name)) return;
  note_date(run, run.path + "/" + metrics_name);
  const MetricsTail tail(run.path);
  const Json last = tail.last();
  if (last.is_null()) return;
  run.step = std::max(run.step, *last["step"].integer());
  add_number(run, "train-loss", last["loss"]);
  add_number(run, "time", last["time"]["seconds"]);
  add_number(run, "speed", last["time"]["tokens_per_second"]);
  const Json evaluated = last["val_loss"].is_null() ? tail.last_evaluated() : last;
  read_line(run, evaluated);
  read_line(run, last);
  run.digest = evaluated["digest"].string();
  if (has_evaluation(evaluated) && !evaluated["val_loss"].is_number())
    run.not_finite = *evaluated["step"].integer();
  const auto until = run.options.find("until");
  run.ended_early = last["step"].integer() == run.step &&
                    ended_early(last, until == run.options.end() ? "" : until->second);
  const Index best = folder.best_step();
  if (best < 0) return;
  const Json line = tail.of_step(best);
  add_number(run, "best-loss", line["val_loss"]);
  add_number(run, "best-exact-match", line["exact_match"]);
  run.metrics.emplace("best-step", static_cast<double>(best));
}

void read_checkpoints(ShelfRun& run, const RunFolder& folder) {
  const Index last = folder.last_step();
  run.step = std::max(run.step, last);
  bool has_last = false;
  for (const StepFolder& step : step_folders(run.path)) {
    if (step.step != last || !is_complete_checkpoint(run.path + "/" + step.name())) continue;
    has_last = true;
    note_date(run, run.path + "/" + step.name() + "/" + model_file);
  }
  if (last >= 0 && !has_last) throw FileError("a file of its last checkpoint is missing");
}

}  // namespace

Index ShelfRun::steps() const {
  const auto found = options.find("steps");
  return found == options.end() ? 0 : read_whole<Index>(found->second).value_or(0);
}

const char* word(State state) {
  switch (state) {
    case State::training:
      return "training";
    case State::done:
      return "done";
    case State::interrupted:
      return "interrupted";
    case State::diverged:
      return "diverged";
    case State::damaged:
      return "damaged";
    case State::foreign:
      return "foreign";
  }
  return "";
}

const std::set<std::string>& RunReader::options_of(const std::string& task) {
  const auto [at, is_new] = options_.try_emplace(task);
  if (is_new)
    for (const TrainOption& option : all_options(registry_.find_task(task), registry_))
      at->second.insert(option.name);
  return at->second;
}

void RunReader::read_config(ShelfRun& run, bool has_traces) {
  const std::string path = run.path + "/config.toml";
  Settings settings;
  try {
    settings = parse_toml(require_utf8(read_file(path), path), path);
  } catch (const FileError& error) {
    if (!has_traces)  // many programs have a file of that name
      return spoil(run, State::foreign, "config.toml isn't a run's");
    return spoil(run, State::damaged, within(run.path, error));
  }
  std::string program;
  for (const auto& [name, value] : settings) {
    if (name == "task")
      run.task = value;
    else if (name == "version")
      run.version = value;
    else if (name == "program")
      program = value;
    else if (name == "working-directory")
      continue;
    else
      run.options[name] = value;
  }
  if (!program.empty() && program != registry_.program)
    return spoil(run, State::foreign, fmt::format("made by the program '{}'", visible(program)));
  if (run.task.empty()) {
    if (!has_traces) return spoil(run, State::foreign, "config.toml isn't a run's");
    return spoil(run, State::damaged, "config.toml: expected a line 'task = \"NAME\"'");
  }
  const auto& tasks = registry_.tasks();
  if (std::none_of(tasks.begin(), tasks.end(),
                   [&](const TaskEntry& task) { return task.name == run.task; }))
    return spoil(run, State::foreign, fmt::format("there is no task '{}' here", visible(run.task)));
  const std::set<std::string>& known = options_of(run.task);
  for (const auto& [name, value] : run.options)
    if (known.count(name) == 0)
      return spoil(run, State::foreign, fmt::format("there is no option '{}' here", visible(name)));
}

ShelfRun RunReader::read(const std::string& path) {
  ShelfRun run;
  run.path = path;
  const auto guarded = [&](const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      spoil(run, State::damaged, within(run.path, error));
    }
  };
  guarded([&] {
    if (!exists(path + "/config.toml")) throw FileError("there is no config.toml");
    read_config(run, exists(path + "/lock") || exists(path + "/" + metrics_name) ||
                         exists(path + "/checkpoint"));
    const RunFolder folder = RunFolder::open(path, [](const std::string&) {});
    guarded([&] { read_checkpoints(run, folder); });
    guarded([&] { read_metrics(run, folder); });
    guarded([&] { run.labels = read_labels(path); });
    guarded([&] {
      if (const std::string why = why_diverged(path); !why.empty())
        spoil(run, State::diverged, why);
    });
    if (run.not_finite >= 0)
      spoil(run, State::diverged,
            fmt::format("the loss of the evaluation at step {} isn't finite", run.not_finite));
  });
  if (run.reason.empty())
    guarded([&] {
      const bool is_done = (run.steps() > 0 && run.step >= run.steps()) || run.ended_early;
      run.state = is_done ? State::done : State::interrupted;
    });
  guarded([&] {
    if (is_locked(path + "/lock")) run.state = State::training;
  });
  return run;
}

}  // namespace tapehead
