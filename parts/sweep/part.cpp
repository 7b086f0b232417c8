#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/options/train_arguments.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../cli/terminal/progress_line.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/data/mixed_lengths.hpp"
#include "../../train/files/files.hpp"
#include "../../train/step/thread_scope.hpp"
#include "axes.hpp"
#include "halving.hpp"
#include "lr_range.hpp"
#include "planned.hpp"
#include "table.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

struct SweepArguments {
  TrainArguments train;
  std::vector<std::string> grid;
  std::string read, format, eval_lengths, by = name_of(By::best);
  std::optional<std::string> lr_range;
  Index seeds = 1, random = 0, halving = 0, jobs = 0;
  bool has_random = false, has_halving = false;
  bool dry_run = false, reports = false, json = false;
};

By by_of(const SweepArguments& arguments) {
  require_known("--by", arguments.by, {name_of(By::best), name_of(By::last)});
  return arguments.by == name_of(By::last) ? By::last : By::best;
}

std::vector<Axis> parse_grid(const SweepArguments& arguments, const Registry& registry) {
  std::vector<Axis> axes;
  for (const std::string& text : arguments.grid) {
    axes.push_back(parse_axis(text));
    std::string& option = axes.back().option;
    option = without_alias(common_options(registry), option);
    if (option == "seed" || option == "out")
      throw UsageError("--grid {}: {}", text,
                       option == "seed" ? "use --seeds N to try N seeds, starting at --seed"
                                        : "each run has its own folder in --out");
    if (option == "steps" && arguments.has_halving)
      throw UsageError("--grid {}: --halving needs the same number of steps for all runs", text);
    if (axes.back().range && !arguments.has_random)
      throw UsageError("--grid {}: a range needs --random N, the number of combinations to draw",
                       text);
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i].option == option) throw UsageError("--grid {}: {} is given twice", text, option);
  }
  return axes;
}

constexpr const char* default_lr_range = "1e-6..10";

RateSearch rate_search(const SweepArguments& arguments, const Session& session) {
  const std::pair<const char*, bool> others[] = {{"--grid", !arguments.grid.empty()},
                                                 {"--random", arguments.has_random},
                                                 {"--halving", arguments.has_halving},
                                                 {"--dry-run", arguments.dry_run}};
  for (const auto& [name, given] : others)
    if (given) throw UsageError("--lr-range can't be combined with {}; remove it", name);
  const std::string given = "--lr-range " + *arguments.lr_range;
  const std::optional<ValueRange> range = parse_range(*arguments.lr_range, given);
  if (!range || range->log || range->low <= 0)
    throw UsageError("{}: expected two rates above 0, such as 1e-4..1e-1", given);
  const SweepBase base{arguments.train, "sweeps/" + arguments.train.task + "-lr", arguments.seeds,
                       arguments.jobs};
  return RateSearch(base, *range, session);
}

/// Validates all options and plans the runs.
PlannedSweep planned(const SweepArguments& arguments, const Session& session) {
  const std::vector<Axis> axes = parse_grid(arguments, session.registry);
  if (arguments.has_random && arguments.random < 1)
    throw UsageError("--random must be at least 1, not {}", arguments.random);
  const std::uint64_t seed = new_config(arguments.train, session.registry).seed;
  const std::vector<Settings> rows =
      arguments.has_random ? drawn_combinations(axes, arguments.random, seed) : combinations(axes);
  PlannedSweep plan = plan_sweep(
      {arguments.train, "sweeps/" + arguments.train.task, arguments.seeds, arguments.jobs}, rows,
      session);
  if (arguments.has_halving) rungs(rows.size(), arguments.halving, 1);
  return plan;
}

void check_eval_lengths(const SweepArguments& arguments, const Registry& registry) {
  if (arguments.eval_lengths.empty()) return;
  parse_lengths(arguments.eval_lengths, "--eval-lengths");
  const TaskEntry& task = registry.find_task(arguments.train.task);
  if (!has_named(task.options, task.length_option))
    throw UsageError("--eval-lengths {}: the task {} has no length option; remove --eval-lengths",
                     arguments.eval_lengths, task.name);
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

/// Returns whether the command prints text for people.
bool is_for_people(const SweepArguments& arguments) {
  return !arguments.json && &format_of(arguments) == &sweep_formats().front();
}

/// Evaluates the runs by length. Returns why some combinations have no results.
std::vector<std::string> evaluate_by_length(Sweep& sweep, const std::string& folder,
                                            const std::string& lengths, const Session& session) {
  const ThreadScope threads(processors());
  ProgressLine line(session.terminal, "evaluating by length");
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    line(static_cast<double>(i) / static_cast<double>(sweep.rows.size()));
    SweepRow& row = sweep.rows[i];
    try {
      row.by_length =
          length_curve_of(row, sweep, folder, lengths, session.registry, "--eval-lengths");
    } catch (const UsageError& error) {
      notes.push_back(fmt::format("no accuracy by length for {}: {}", settings_text(row.settings),
                                  error.what()));
    }
  }
  return notes;
}

void show(const Sweep& sweep, const std::string& out, const SweepArguments& arguments,
          const Session& session, std::vector<std::string> notes = {}) {
  if (sweep.ranks_by_loss)
    for (std::string& note : rate_notes(sweep, out)) notes.push_back(std::move(note));
  if (arguments.json) {
    Json document = sweep_json(sweep, out);
    if (!notes.empty()) document["notes"] = notes;
    return print_json(document);
  }
  put("{}", format_of(arguments).text(sweep, session.terminal));
  if (!is_for_people(arguments)) return;
  for (const std::string& note : notes) put("{}", wrapped(note, session.terminal.width));
}

/// Returns the fraction of all runs' steps that a sweep with --halving trains.
double share_of_steps(const PlannedSweep& plan, Index factor) {
  constexpr Index steps = 1'000'000;
  double taken = 0;
  Index before = 0;
  for (const auto& [count, until] : rungs(plan.sweep.rows.size(), factor, steps)) {
    taken += static_cast<double>(count) * static_cast<double>(until - before);
    before = until;
  }
  return taken / static_cast<double>(plan.sweep.rows.size()) / static_cast<double>(steps);
}

void show_estimate(const PlannedSweep& plan, const SweepArguments& arguments, Session& session) {
  std::vector<Settings> settings;
  for (const SweepRow& row : plan.sweep.rows) settings.push_back(row.settings);
  SweepEstimate all = estimate(plan.runs, settings, plan.shares, session);
  if (arguments.has_halving) all.share = share_of_steps(plan, arguments.halving);
  if (arguments.json) return print_json(to_json(all));
  put("{}", to_text(all, session.terminal));
}

/// Throws UsageError if the folder has results of combinations or seeds that this sweep doesn't
/// have.
void check_includes(const Sweep& sweep, std::size_t seeds, const std::string& folder) {
  if (!exists(sweep_file(folder))) return;
  const Sweep before = read_sweep(folder);
  if (sweep.ranks_by_loss && before.ranks_by_loss) return;
  if (sweep.ranks_by_loss)
    throw UsageError("{} already has the results of a sweep; choose another --out", folder);
  const auto refuse = [&](const std::string& what) {
    throw UsageError("{} already has a sweep of {}; choose another --out", folder, what);
  };
  if (before.task != sweep.task) refuse(before.task);
  if (before.first_seed != sweep.first_seed || before.rows[0].outcomes.size() > seeds)
    refuse(fmt::format("{} starting at {}", plural(before.rows[0].outcomes.size(), "seed"),
                       before.first_seed));
  for (const SweepRow& row : before.rows)
    if (std::none_of(sweep.rows.begin(), sweep.rows.end(),
                     [&](const SweepRow& each) { return each.settings == row.settings; }))
      refuse(fmt::format("other settings, including {}", settings_text(row.settings)));
}

void sweep(const SweepArguments& arguments, Session& session) {
  std::optional<RateSearch> search;
  if (arguments.lr_range) search.emplace(rate_search(arguments, session));
  PlannedSweep plan = search ? search->first() : planned(arguments, session);
  plan.sweep.by = by_of(arguments);
  if (arguments.dry_run) return show_estimate(plan, arguments, session);
  const std::shared_ptr<void> lock = lock_sweep(plan.out);
  check_includes(plan.sweep, plan.runs.size() / plan.sweep.rows.size(), plan.out);
  const bool quiet = !is_for_people(arguments);
  const WriteSignalGuard closed_pipe(WriteSignalGuard::To::pipe);
  const StopSignals signals;
  const bool complete = search ? search->train(plan, quiet, session)
                        : arguments.has_halving
                            ? train_by_halving(plan.runs, arguments.halving, plan.out, plan.shares,
                                               quiet, plan.sweep, session)
                            : train_rows(plan, quiet, session);
  if (!complete) {
    session.status = StopSignals::status;
    return;
  }
  const auto notes = evaluate_by_length(plan.sweep, plan.out, arguments.eval_lengths, session);
  if (!quiet) put("\n");
  read_labels(plan.sweep, plan.out);
  show(plan.sweep, plan.out, arguments, session, notes);
  write_sweep(plan, arguments.reports, quiet, session);
}

/// Prints the results of a finished sweep from its folder.
void read_again(const SweepArguments& arguments, const Session& session) {
  if (const std::string path = sweep_file(arguments.read); !exists(path))
    throw FileError("{}: no finished sweep here; repeat the command that started it to continue",
                    path);
  Sweep sweep = read_sweep(arguments.read);
  sweep.by = by_of(arguments);
  read_labels(sweep, arguments.read);
  show(sweep, arguments.read, arguments, session);
}

void add_forms(const Command& command, SweepArguments& arguments) {
  command.option("--by", "best|last", arguments.by, "evaluation to rank runs by")
      .shown_default(arguments.by)
      .group("Sweep");
  std::vector<std::string> names;
  for (const SweepFormat& format : sweep_formats()) names.emplace_back(format.name);
  command
      .option("--format", fmt::format("{}", fmt::join(names, "|")), arguments.format,
              "table format; all but text print only the table")
      .shown_default(names[0])
      .group("Sweep");
  add_json(command, arguments.json).group("Sweep");
}

void add_sweep_command(const Command& app, Session& session) {
  const auto arguments = std::make_shared<SweepArguments>();
  const Command command = app.add("sweep", "search hyperparameters: train with many settings");
  std::string files;
  for (const SweepFile& file : session.registry.extensions<SweepFile>())
    files += fmt::format(", with {} in {}", file.what, file.name);
  command.footer(fmt::format(
      "Runs are written to --out, by default sweeps/TASK{}. After an interruption, the same "
      "command continues.\nExample: {} sweep copy --grid "
      "lr=1e-3,3e-3 heads=1,2 --seeds 3",
      files, session.program));
  command.option("--read", "FOLDER", arguments->read, "finished sweep whose table to print")
      .group("Sweep");
  add_forms(command, *arguments);
  std::vector<std::pair<CommandOption, CommandOption>>
      chosen;  // options --random and --halving of each task
  for (const TaskEntry& entry : tasks_called(session)) {
    const Command task = command.add(entry.name, entry.summary);
    task.words("--grid", "OPTION=A,B...", arguments->grid,
               "option and values to try; with --random also a range, such as lr=1e-4..1e-2:log")
        .group("Sweep");
    task.option(
            "--lr-range", "A..B",
            [arguments](const std::string& text) { arguments->lr_range = text; },
            "learning-rate search within this range")
        .value_optional(default_lr_range)
        .group("Sweep");
    task.option("--seeds", arguments->seeds, "runs per combination, with seeds from --seed on")
        .shown_default("1")
        .group("Sweep");
    const CommandOption random = task.option(
        "--random", arguments->random, "random search: number of combinations drawn from the grid");
    const CommandOption halving =
        task.option("--halving", arguments->halving,
                    "successive halving: the best 1/N continue, for N times as many steps");
    for (CommandOption option : {random, halving}) option.group("Sweep");
    chosen.emplace_back(random, halving);
    task.option("--jobs", arguments->jobs,
                "number of runs at once (0 = as threads and memory allow)")
        .shown_default("0")
        .group("Sweep");
    task.option("--eval-lengths", "A..B", arguments->eval_lengths,
                "accuracy by length at these lengths [the trained ones, if several]")
        .group("Sweep");
    task.flag("--dry-run", arguments->dry_run,
              "summary of the runs, their time and memory; nothing is trained or written")
        .group("Sweep");
    task.flag("--reports", arguments->reports, "HTML report for each run as well").group("Sweep");
    add_forms(task, *arguments);
    add_task_options(task, entry, session.registry, session.all_options, arguments->train);
  }
  command.on_run([=, &session] {
    for (const auto& [random, halving] : chosen) {
      arguments->has_random = arguments->has_random || random.given();
      arguments->has_halving = arguments->has_halving || halving.given();
    }
    if (arguments->json && !arguments->format.empty())
      throw UsageError("use either --json or --format, not both");
    format_of(*arguments);
    if (!arguments->read.empty()) {
      if (!command.chosen().empty())
        throw UsageError("--read only shows a finished sweep; remove {}", command.chosen());
      return read_again(*arguments, session);
    }
    if (command.chosen().empty())
      throw UsageError("sweep needs a task: {}", [&] {
        std::vector<std::string> names;
        for (const TaskEntry& entry : session.registry.tasks()) names.push_back(entry.name);
        return fmt::format("{}", fmt::join(names, ", "));
      }());
    arguments->train.task = command.chosen();
    check_eval_lengths(*arguments, session.registry);
    if (arguments->grid.empty() && !arguments->lr_range)
      throw UsageError("sweep needs --grid OPTION=A,B... or --lr-range; see {} sweep {} --help",
                       session.program, command.chosen());
    sweep(*arguments, session);
  });
}

}  // namespace

void add_sweep(Registry& registry) {
  for (const char* name : {"grid", "lr-range", "random", "seeds", "halving", "by", "jobs",
                           "reports", "format", "read", "eval-lengths"})
    registry.command_option(name);
  registry.extend(CommandEntry{"sweep", add_sweep_command}.in("Train"));
}

}  // namespace tapehead
