#include "../../core/runtime/processors.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/runs/made_folders.hpp"
#include "../extensions.hpp"
#include "../options/config_file.hpp"
#include "../options/train_arguments.hpp"
#include "../sweep/axes.hpp"
#include "../sweep/estimate.hpp"
#include "../sweep/halving.hpp"
#include "../sweep/table.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress_line.hpp"
#include "commands.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

namespace tapehead {
namespace {

struct SweepArguments {
  TrainArguments train;
  std::vector<std::string> grid;
  std::string read, format, by = name_of(By::best);
  Index seeds = 1, random = 0, halving = 0, jobs = 0;
  bool has_random = false, has_halving = false;
  bool dry_run = false, reports = false, json = false;
};

By by_of(const SweepArguments& arguments) {
  require_known("--by", arguments.by, {name_of(By::best), name_of(By::last)});
  return arguments.by == name_of(By::last) ? By::last : By::best;
}

std::vector<Axis> parse_grid(const SweepArguments& arguments) {
  std::vector<Axis> axes;
  for (const std::string& text : arguments.grid) {
    axes.push_back(parse_axis(text));
    const std::string& option = axes.back().option;
    if (option == "seed" || option == "out")
      throw UsageError("--grid {}: {}", text,
                       option == "seed" ? "--seeds N tries seeds, from --seed on"
                                        : "each run has a folder of its own in --out");
    if (option == "steps" && arguments.has_halving)
      throw UsageError("--grid {}: --halving compares runs of equally many steps", text);
    if (axes.back().range && !arguments.has_random)
      throw UsageError("--grid {}: values of a range are drawn; say how many by --random N", text);
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i].option == option) throw UsageError("--grid {}: {} is given twice", text, option);
  }
  return axes;
}

/// Throws UsageError if the folder of the sweep is that of a run, or within one: resumed, the run
/// would find there what it hasn't written.
void check_outside_runs(const std::string& out) {
  namespace fs = std::filesystem;
  fs::path folder = fs::absolute(out).lexically_normal();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    std::error_code ignored;
    if (fs::exists(folder / "config.toml", ignored) && fs::exists(folder / "lock", ignored))
      throw UsageError("--out {}: {} is the folder of a run; choose one outside of it", out,
                       folder.string());
  }
}

/// A sweep before its first run.
struct Planned {
  std::string out;
  Sweep sweep;                 // without outcomes
  std::vector<SweepRun> runs;  // of each combination in turn, one per seed
  Shares shares;
};

/// Throws UsageError if two combinations are one configuration, as with lr=1e-3,0.001, or would
/// share a folder. `runs` holds `seeds` runs of each combination in turn.
void check_distinct(const std::vector<SweepRun>& runs, const std::vector<SweepRow>& rows,
                    const Session& session) {
  const std::size_t seeds = runs.size() / rows.size();
  std::map<std::string, std::string> by_config, by_folder;  // their settings
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRun& run = runs[i * seeds];
    const std::string settings = in_words(rows[i].settings);
    TrainConfig config = run.config;
    config.out.clear();
    const auto same = by_config.emplace(to_toml(config, session.registry), settings);
    if (!same.second)
      throw UsageError("--grid: '{}' and '{}' are the same configuration; remove one",
                       same.first->second, settings);
    const auto shared = by_folder.emplace(run.name, settings);
    if (!shared.second)
      throw UsageError("--grid: '{}' and '{}' would share the folder {}; use two sweeps",
                       shared.first->second, settings, run.name);
  }
}

/// Locks the folder of the sweep, which is created if it doesn't exist. Throws UsageError if
/// another sweep holds the lock.
std::shared_ptr<void> lock_sweep(const std::string& folder) {
  const MadeFolders made(folder);  // removed again if locking fails
  std::shared_ptr<void> lock = lock_file(folder + "/lock");
  if (!lock)
    throw UsageError("{}: another sweep is running here; wait for it, or choose another --out",
                     folder);
  return lock;
}

/// Finds whatever is invalid before the first run.
Planned planned(const SweepArguments& arguments, const Session& session) {
  const std::vector<Axis> axes = parse_grid(arguments);
  if (arguments.seeds < 1) throw UsageError("--seeds must be at least 1, not {}", arguments.seeds);
  if (arguments.jobs < 0) throw UsageError("--jobs must be at least 0, not {}", arguments.jobs);
  if (arguments.has_random && arguments.random < 1)
    throw UsageError("--random must be at least 1, not {}", arguments.random);
  const TrainConfig base = new_config(arguments.train, session.registry);
  Planned plan;
  plan.out = base.out.empty() ? "sweeps/" + arguments.train.task : base.out;
  check_outside_runs(plan.out);
  plan.sweep.task = arguments.train.task;
  plan.sweep.by = by_of(arguments);
  plan.sweep.first_seed = base.seed;
  const auto seeds = static_cast<std::size_t>(arguments.seeds);
  for (const Settings& settings : arguments.has_random
                                      ? drawn_combinations(axes, arguments.random, base.seed)
                                      : combinations(axes)) {
    TrainArguments one = arguments.train;
    one.given.insert(one.given.end(), settings.begin(), settings.end());
    plan.sweep.rows.emplace_back().settings = settings;
    TrainConfig config = new_config(one, session.registry);
    const std::unique_ptr<Task> task = make_task(config, session.registry);
    const Plan model = make_plan(config, *task, session.registry);
    check_memory(model, config, *task, session.registry);
    plan.sweep.has_answers = task->has_answers();
    if (config.seed > std::numeric_limits<std::uint64_t>::max() - (seeds - 1))
      throw UsageError("--seed {} --seeds {}: the last seed would be above {}", config.seed,
                       arguments.seeds, std::numeric_limits<std::uint64_t>::max());
    for (std::size_t i = 0; i < seeds; ++i, ++config.seed) {
      const std::string name = run_name(settings, config.seed);
      config.out = plan.out + "/" + name;
      plan.runs.push_back({config, name, {model.layout.threads, model.need.total()}});
    }
  }
  check_distinct(plan.runs, plan.sweep.rows, session);
  if (arguments.has_halving) rungs(plan.sweep.rows.size(), arguments.halving, 1);
  plan.shares = share_cores(arguments.jobs, plan.runs, processors(), memory_limit());
  return plan;
}

const SweepFormat& format_of(const SweepArguments& arguments) {
  std::vector<std::string> names;
  for (const SweepFormat& format : sweep_formats()) {
    if (arguments.format == format.name) return format;
    names.emplace_back(format.name);
  }
  if (!arguments.format.empty()) refuse_unknown("--format", arguments.format, names);
  return sweep_formats().front();
}

/// Whether standard output is for people.
bool is_for_people(const SweepArguments& arguments) {
  return !arguments.json && &format_of(arguments) == &sweep_formats().front();
}

void show(const Sweep& sweep, const std::string& out, const SweepArguments& arguments,
          const Session& session) {
  if (arguments.json) return print_json(sweep_json(sweep, out));
  put("{}", format_of(arguments).text(sweep, session.terminal));
}

/// The page of the sweep; before it, with --reports, that of each run.
void write_files(const Planned& plan, const SweepArguments& arguments, Session& session) {
  replace_file(plan.out + "/sweep.json", to_text(sweep_json(plan.sweep, plan.out), 1) + '\n');
  for (const SweepFile& file : session.registry.extensions<SweepFile>()) {
    if (arguments.reports && file.of_run) {
      ProgressLine line(session.terminal, "writing the page of each run");
      double done = 0;
      for (const SweepRun& run : plan.runs) {
        line(done++ / static_cast<double>(plan.runs.size()));
        if (!RunFolder::open(run.config.out).has_checkpoint()) continue;  // it diverged at once
        replace_file(run.config.out + "/" + file.name, file.of_run(run.config.out, session));
      }
    }
    Json page = sweep_page_json(plan.sweep);
    page["folder"] = plan.out;
    const std::string path = plan.out + "/" + file.name;
    replace_file(path, file.bytes(page));
    if (is_for_people(arguments))
      put("{}",
          wrapped(fmt::format("as {}{}: {}", file.what,
                              arguments.reports && file.of_run ? ", beside those of its runs" : "",
                              visible(path)),
                  session.terminal.width));
  }
}

/// The part of all steps that a sweep with --halving takes.
double share_of_steps(const Planned& plan, Index factor) {
  constexpr Index steps = 1'000'000;
  double taken = 0;
  Index before = 0;
  for (const auto& [count, until] : rungs(plan.sweep.rows.size(), factor, steps)) {
    taken += static_cast<double>(count) * static_cast<double>(until - before);
    before = until;
  }
  return taken / static_cast<double>(plan.sweep.rows.size()) / static_cast<double>(steps);
}

void show_estimate(const Planned& plan, const SweepArguments& arguments, Session& session) {
  std::vector<Settings> settings;
  for (const SweepRow& row : plan.sweep.rows) settings.push_back(row.settings);
  SweepEstimate all = estimate(plan.runs, settings, plan.shares, session);
  if (arguments.has_halving) all.share = share_of_steps(plan, arguments.halving);
  if (arguments.json) return print_json(to_json(all));
  put("{}", to_text(all, session.terminal));
}

/// Throws UsageError where the folder has the results of a sweep that this one wouldn't have.
void check_includes(const Sweep& sweep, std::size_t seeds, const std::string& folder) {
  const std::string path = folder + "/sweep.json";
  if (!exists(path)) return;
  const Sweep before = sweep_of(parse_json(read_file(path)).value_or(Json()), path);
  const auto refuse = [&](const std::string& what) {
    throw UsageError("{} has a sweep of {}; choose another --out", folder, what);
  };
  if (before.task != sweep.task) refuse(before.task);
  if (before.first_seed != sweep.first_seed || before.rows[0].outcomes.size() > seeds)
    refuse(fmt::format("{} from {} on", plural(before.rows[0].outcomes.size(), "seed"),
                       before.first_seed));
  for (const SweepRow& row : before.rows)
    if (std::none_of(sweep.rows.begin(), sweep.rows.end(),
                     [&](const SweepRow& each) { return each.settings == row.settings; }))
      refuse(fmt::format("other settings, {} among them", in_words(row.settings)));
}

void sweep(const SweepArguments& arguments, Session& session) {
  Planned plan = planned(arguments, session);
  if (arguments.dry_run) return show_estimate(plan, arguments, session);
  const std::shared_ptr<void> lock = lock_sweep(plan.out);
  check_includes(plan.sweep, plan.runs.size() / plan.sweep.rows.size(), plan.out);
  std::vector<SweepRow>& rows = plan.sweep.rows;
  const bool quiet = !is_for_people(arguments);
  const FailedWrites closed_pipe(FailedWrites::To::pipe);
  const StopSignals signals;
  if (arguments.has_halving) {
    if (!train_by_halving(plan.runs, arguments.halving, plan.out, plan.shares, quiet, plan.sweep,
                          session)) {
      session.status = StopSignals::status;
      return;
    }
  } else {
    const auto outcomes = train_all(plan.runs, {}, plan.shares, quiet, session);
    if (!outcomes) {
      session.status = StopSignals::status;
      return;
    }
    const std::size_t seeds = plan.runs.size() / rows.size();
    for (std::size_t i = 0; i < outcomes->size(); ++i)
      rows[i / seeds].outcomes.push_back((*outcomes)[i]);
  }
  if (!quiet) put("\n");
  read_labels(plan.sweep, plan.out);
  show(plan.sweep, plan.out, arguments, session);
  write_files(plan, arguments, session);
}

/// The results of a sweep that has ended.
void read_again(const SweepArguments& arguments, const Session& session) {
  const std::string path = arguments.read + "/sweep.json";
  if (!exists(path))
    throw FileError("{}: no sweep has ended here; the command that began it continues it", path);
  const auto document = parse_json(read_file(path));
  Sweep sweep = sweep_of(document.value_or(Json()), path);
  sweep.by = by_of(arguments);
  read_labels(sweep, arguments.read);
  show(sweep, arguments.read, arguments, session);
}

void add_forms(const Command& command, SweepArguments& arguments) {
  command
      .option("--by", "best|last", arguments.by,
              "rank each run by its best evaluation, or by the last one")
      .shown_default(arguments.by)
      .group("Sweep");
  std::vector<std::string> names;
  for (const SweepFormat& format : sweep_formats()) names.emplace_back(format.name);
  command
      .option("--format", fmt::format("{}", fmt::join(names, "|")), arguments.format,
              "form of the table; all but text print nothing else")
      .shown_default(names[0])
      .group("Sweep");
  add_json(command, arguments.json).group("Sweep");
}

}  // namespace

void add_sweep_command(const Command& app, Session& session) {
  const auto arguments = std::make_shared<SweepArguments>();
  const Command command = app.add("sweep", "train a task with many settings");
  std::string files;
  for (const SweepFile& file : session.registry.extensions<SweepFile>())
    files += fmt::format(", and so is {}, {}", file.what, file.name);
  command.footer(
      fmt::format("Runs are in --out, by default sweeps/TASK{}. After an interruption, the same "
                  "command continues.\nExample: {} sweep copy --grid "
                  "lr=1e-3,3e-3 heads=1,2 --seeds 3",
                  files, session.program));
  command.option("--read", "FOLDER", arguments->read, "print the table of a sweep that has ended")
      .group("Sweep");
  add_forms(command, *arguments);
  std::vector<std::pair<Option, Option>> chosen;  // --random and --halving of each task
  for (const TaskEntry& entry : session.registry.tasks()) {
    const Command task = command.add(entry.name, entry.summary);
    task.words("--grid", "OPTION=A,B...", arguments->grid,
               "an option and the values to try; with --random, also a range: lr=1e-4..1e-2:log")
        .group("Sweep")
        .required();
    task.option("--seeds", arguments->seeds, "runs per combination, with seeds from --seed on")
        .shown_default("1")
        .group("Sweep");
    const Option random = task.option("--random", arguments->random,
                                      "try so many combinations, drawn from --grid by --seed");
    const Option halving =
        task.option("--halving", arguments->halving,
                    "all train for a part of the steps, and the best of this many goes on");
    for (Option option : {random, halving}) option.group("Sweep");
    chosen.emplace_back(random, halving);
    task.option("--jobs", arguments->jobs, "runs at once; 0: as many as find threads and memory")
        .shown_default("0")
        .group("Sweep");
    task.flag("--dry-run", arguments->dry_run,
              "show the runs, their time and memory; write nothing")
        .group("Sweep");
    task.flag("--reports", arguments->reports, "write the page of each run, too").group("Sweep");
    add_forms(task, *arguments);
    add_task_options(task, entry, session.registry, session.all_options, arguments->train);
  }
  command.on_run([=, &session] {
    for (const auto& [random, halving] : chosen) {
      arguments->has_random = arguments->has_random || random.given();
      arguments->has_halving = arguments->has_halving || halving.given();
    }
    if (arguments->json && !arguments->format.empty())
      throw UsageError("--json and --format are two forms; choose one");
    format_of(*arguments);
    if (!arguments->read.empty()) {
      if (!command.chosen().empty())
        throw UsageError("--read shows a sweep that has ended; leave out {}", command.chosen());
      return read_again(*arguments, session);
    }
    if (command.chosen().empty())
      throw UsageError("sweep needs a task: {}", [&] {
        std::vector<std::string> names;
        for (const TaskEntry& entry : session.registry.tasks()) names.push_back(entry.name);
        return fmt::format("{}", fmt::join(names, ", "));
      }());
    arguments->train.task = command.chosen();
    sweep(*arguments, session);
  });
}

}  // namespace tapehead
