#include "../../core/system/signals.hpp"
#include "../../train/learner.hpp"
#include "../../train/message.hpp"
#include "../../train/plan.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/runs/json.hpp"
#include "../extensions.hpp"
#include "../options/config_file.hpp"
#include "../options/train_arguments.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress.hpp"
#include "commands.hpp"
#include "load_run.hpp"
#include "sweep_table.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <limits>

namespace tapehead {
namespace {

struct SweepArguments {
  TrainArguments train;
  std::vector<std::string> grid;
  Index seeds = 1;
  bool json = false;
};

std::vector<Axis> parse_grid(const SweepArguments& arguments) {
  std::vector<Axis> axes;
  for (const std::string& text : arguments.grid) {
    axes.push_back(parse_axis(text));
    const std::string& option = axes.back().option;
    if (option == "seed" || option == "out")
      throw UsageError("--grid {}: {}", text,
                       option == "seed" ? "--seeds N tries seeds, from --seed on"
                                        : "each run has a folder of its own in --out");
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i].option == option) throw UsageError("--grid {}: {} is given twice", text, option);
  }
  return axes;
}

/// Prints notices where no progress is drawn.
struct Notices : TrainObserver {
  std::string run;
  void noticed(Index step, const std::string& text) override {
    message(fmt::format("{}: step {}: {}", run, step, text));
  }
};

/// Opens the run's folder as an earlier sweep left it, or creates it. Throws UsageError if it has a
/// run of another configuration.
RunFolder open_or_create(const TrainConfig& config, const Session& session) {
  if (!std::filesystem::exists(config.out)) {
    RunFolder folder = RunFolder::create(config.out);
    folder.write_config(to_toml(config, session.registry));
    return folder;
  }
  RunFolder folder = RunFolder::resume(config.out);
  const TrainConfig recorded = recorded_config(folder, session.registry);
  for (const TrainOption& option : differences(config, recorded, session.registry))
    throw UsageError("{} was trained with --{} {}, not {}; choose another --out", config.out,
                     option.name, option.get(recorded), option.get(config));
  for (const std::string& option : changed_data(config.task_options, folder.last_record().data))
    throw UsageError("{}: {} has changed since it was trained on it; choose another --out",
                     config.out, config.task_options.at(option));
  return folder;
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

void sweep(const SweepArguments& arguments, Session& session) {
  const std::vector<Axis> axes = parse_grid(arguments);
  if (arguments.seeds < 1) throw UsageError("--seeds must be at least 1, not {}", arguments.seeds);
  const std::string given = new_config(arguments.train, session.registry).out;
  const std::string out = given.empty() ? "sweeps/" + arguments.train.task : given;
  check_outside_runs(out);
  const auto seeds = static_cast<std::size_t>(arguments.seeds);

  // Invalid settings are found before the first run.
  std::vector<SweepRow> rows;
  std::vector<TrainConfig> configs;
  bool has_answers = false;
  for (const Settings& settings : combinations(axes)) {
    TrainArguments one = arguments.train;
    one.given.insert(one.given.end(), settings.begin(), settings.end());
    rows.push_back({settings, {}});
    TrainConfig config = new_config(one, session.registry);
    const std::unique_ptr<Task> task = make_task(config, session.registry);
    check_memory(make_plan(config, *task, session.registry), config, *task, session.registry);
    has_answers = task->has_answers();
    if (config.seed > std::numeric_limits<std::uint64_t>::max() - (seeds - 1))
      throw UsageError("--seed {} --seeds {}: the last seed would be above {}", config.seed,
                       arguments.seeds, std::numeric_limits<std::uint64_t>::max());
    for (std::size_t i = 0; i < seeds; ++i, ++config.seed) {
      config.out = out + "/" + run_name(settings, config.seed);
      configs.push_back(config);
    }
  }
  const std::uint64_t first_seed = configs[0].seed;

  const FailedWrites closed_pipe(FailedWrites::To::pipe);
  const StopSignals signals;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const TrainConfig& config = configs[i];
    SweepRow& row = rows[i / seeds];
    RunFolder folder = open_or_create(config, session);
    folder.record(deciding_toml(config, session.registry), data_digests(config.task_options));
    const std::shared_ptr<const Task> own = [&] {
      TrainConfig copy = config;
      return make_task(copy, session.registry);
    }();
    if (!arguments.json)
      tell("{} of {}: {}\n", i + 1, configs.size(), visible(run_name(row.settings, config.seed)));
    Notices notices;
    notices.run = config.out;
    Progress progress(session.terminal, *own, 0);
    const bool drawn = session.terminal.live && !arguments.json;
    TrainObserver& observer = drawn ? static_cast<TrainObserver&>(progress) : notices;
    try {
      row.outcomes.push_back(
          train(config, session.registry, folder, observer, signals.stop, nullptr, own));
    } catch (const DivergedError& error) {  // that it does is a result, too
      message(fmt::format("{}: diverged: {}", config.out, error.what()));
      row.outcomes.push_back(diverged_at(error.step));
      continue;
    }
    if (row.outcomes.back().interrupted) {
      message(fmt::format("interrupted; {} of {} runs are done; the same command continues", i,
                          configs.size()));
      session.status = StopSignals::status;
      return;
    }
  }
  Json page = sweep_page_json(rows, has_answers);
  page["task"] = arguments.train.task;
  page["folder"] = visible(out);
  if (!arguments.json) put("\n{}", sweep_table(rows, has_answers, session.terminal));
  for (const SweepFile& file : session.registry.extensions<SweepFile>()) {
    const std::string path = out + "/" + file.name;
    replace_file(path, file.bytes(page));
    if (!arguments.json)
      put("{}",
          wrapped(fmt::format("as {}: {}", file.what, visible(path)), session.terminal.width));
  }
  if (!arguments.json) return;
  print_json({{"task", arguments.train.task},
              {"folder", out},
              {"combinations", sweep_json(rows, first_seed, has_answers)}});
}

}  // namespace

void add_sweep_command(const Command& app, Session& session) {
  const auto arguments = std::make_shared<SweepArguments>();
  const Command command = app.add("sweep", "train a task with many settings in turn");
  std::string files;
  for (const SweepFile& file : session.registry.extensions<SweepFile>())
    files += fmt::format(", and so is {}, {}", file.what, file.name);
  command.footer(
      fmt::format("Runs are in --out, by default sweeps/TASK{}. After an interruption, the same "
                  "command continues.\nExample: {} sweep copy --grid "
                  "lr=1e-3,3e-3 heads=1,2 --seeds 3",
                  files, session.program));
  for (const TaskEntry& entry : session.registry.tasks()) {
    const Command task = command.add(entry.name, entry.summary);
    task.words("--grid", "OPTION=A,B...", arguments->grid, "an option and the values to try")
        .group("Sweep")
        .required();
    task.option("--seeds", arguments->seeds, "runs per combination, with seeds from --seed on")
        .shown_default("1")
        .group("Sweep");
    add_json(task, arguments->json).group("Sweep");
    add_task_options(task, entry, session.registry, session.all_options, arguments->train);
  }
  command.on_run([=, &session] {
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
