#include <tapehead/cli/commands.hpp>
#include <tapehead/cli/config_file.hpp>
#include <tapehead/cli/dry_run.hpp>
#include <tapehead/cli/load_run.hpp>
#include <tapehead/cli/progress.hpp>
#include <tapehead/cli/stop_signals.hpp>
#include <tapehead/cli/train_arguments.hpp>
#include <tapehead/train/learner.hpp>

#include <filesystem>

namespace tapehead {
namespace {

struct TrainCommand : TrainArguments {
  std::string resume;
  bool dry_run = false;
};

/// A run goes on as it was started, but for what changes no bit of it.
TrainConfig resumed_config(const TrainArguments& arguments, const RunFolder& folder,
                           const Registry& registry) {
  if (!arguments.config.empty())
    throw UsageError("--resume goes on with the run's own config.toml; leave out --config");
  if (!arguments.preset.empty())
    throw UsageError("--resume goes on with the run's own config.toml; leave out --preset");
  const TrainConfig recorded = recorded_config(folder, registry);
  check_task(arguments, recorded, folder.path());
  TrainConfig config = recorded;
  config.out = folder.path();
  for (const auto& setting : arguments.given) {
    const auto options = all_options(registry.find_task(config.task), registry);
    TrainConfig changed = config;
    apply({setting}, options, changed);
    for (const TrainOption& option : options)
      if (option.get(changed) != option.get(config) && !option.resumable)
        throw UsageError(
            "--{0} {1}: the run was started with {2}, and goes on with it; only "
            "--threads and --recompute may change",
            option.name, option.get(changed), option.get(config));
    config = changed;
  }
  return checked(config, registry);
}

RunFolder create_folder(const TrainConfig& config) {
  if (!config.out.empty()) return RunFolder::create(config.out);
  for (;;) {
    const std::string path = RunFolder::free_path(config.task);
    try {
      return RunFolder::create(path);
    } catch (const FileError&) {  // unless another run was quicker
      if (RunFolder::free_path(config.task) == path) throw;
    }
  }
}

/// `16 of 16 symbols`, or the task's options by name.
std::string describe(const TaskEntry& entry, const Task& task, const TaskOptions& options) {
  if (options.count("length") && options.count("symbols"))
    return fmt::format("{} of {} symbols", options.at("length"), options.at("symbols"));
  std::string text;
  for (const auto& [name, help, by_default] : entry.options) {
    const std::string& value = options.at(name);
    if (value.empty() || task.found().count(name)) continue;
    text += name == "data" ? value + ", " : fmt::format("{} {}, ", name, value);
  }
  return text + fmt::format("{} symbols", task.vocabulary());
}

/// A run of another alphabet has symbols of the same shapes, which mean something else.
void check_symbols(const TrainConfig& config, const Registry& registry) {
  if (config.init.empty()) return;
  const TrainConfig other = recorded_config(RunFolder::open(config.init), registry);
  const auto mine = config.task_options.find("characters"),
             theirs = other.task_options.find("characters");
  if (mine != config.task_options.end() && theirs != other.task_options.end() &&
      mine->second != theirs->second)
    throw UsageError(
        "--init {}: it knows the characters '{}', and here they are '{}'; give the same by "
        "--characters",
        config.init, visible(theirs->second), visible(mine->second));
}

/// What is going to be trained, in a line or two. Makes the model, with the weights that a `fresh`
/// one begins with, so that one which can't be made is found before there is a folder for it.
std::string headline(const TrainConfig& config, const Task& task, bool fresh,
                     const Session& session) {
  const auto many = [](Index n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  const auto model = first_model(config, task, session.registry, fresh);
  const std::string line =
      fmt::format("{} · {} · {} {}, {}, width {} · {} parameters · seed {}", config.task,
                  describe(session.registry.find_task(config.task), task, config.task_options),
                  config.arch, many(config.layers, "layer"), many(config.heads, "head"),
                  config.width, grouped(count_parameters(*model->module)), config.seed);
  return fmt::format("{}\n", fmt::join(wrap(line, session.terminal.width), "\n"));
}

void print_outcome(const TrainOutcome& outcome, const Task& task, const std::string& path,
                   const Session& session) {
  const Evaluation& held_out = outcome.evaluation;
  const std::string result =
      task.has_answers() ? fmt::format("exact match {} of {} held-out",
                                       percent(held_out.exact_match), grouped(held_out.examples))
                         : fmt::format("held-out loss {:.4f} nats a symbol", held_out.loss);
  fmt::print("{} in {} · {} · {}\n", paint(session.terminal, Style::bold, "done"),
             duration(outcome.seconds), result, path);
  fmt::print("memory for tensors:   {:.1f} MB at most\n",
             1e-6 * static_cast<double>(outcome.peak_bytes));
  if (outcome.best_step >= 0 && outcome.best_step != outcome.steps)
    fmt::print("better at step {}: {}loss {:.4f} · --checkpoint best\n", outcome.best_step,
               task.has_answers()
                   ? fmt::format("exact match {}, ", percent(outcome.best.exact_match))
                   : "",
               outcome.best.loss);
  fmt::print("see what it learned:  {} attention {}\n", session.program, path);
  fmt::print("let it speak:         {} sample {}\n", session.program, path);
}

void train_in(RunFolder& folder, const TrainConfig& config, const Task& task, Session& session) {
  TrainOutcome outcome;
  std::fflush(stdout);
  {
    const StopSignals signals;
    Progress progress(session.terminal, task);
    outcome = train(config, session.registry, folder, progress, signals.stop);
  }
  if (outcome.reached_goal)
    fmt::print("--until {} was reached at step {} of {}\n", config.until, outcome.steps,
               config.steps);
  if (!outcome.interrupted) return print_outcome(outcome, task, folder.path(), session);
  fmt::print("interrupted after step {} of {}; all of them are saved\n", outcome.steps,
             config.steps);
  fmt::print("to go on:  {} train --resume {}\n", session.program, folder.path());
  session.status = StopSignals::status;
}

void start(const TrainCommand& arguments, Session& session) {
  TrainConfig config = new_config(arguments, session.registry);
  // Whatever can't be is found before there is a folder.
  const std::unique_ptr<Task> task = make_task(config, session.registry);
  check_symbols(config, session.registry);
  const std::string head = headline(config, *task, true, session);
  if (arguments.dry_run) {
    fmt::print("{}\n", head);
    std::fflush(stdout);
    return fmt::print("{}", to_text(rehearse(config, session.registry), session.terminal));
  }
  RunFolder folder = create_folder(config);
  fmt::print("{}", head);
  try {
    folder.write_config(to_toml(config, session.registry));
    train_in(folder, config, *task, session);
  } catch (...) {
    std::error_code ignored;
    if (!folder.has_checkpoint()) std::filesystem::remove_all(folder.path(), ignored);
    throw;
  }
}

void resume(const TrainCommand& arguments, Session& session) {
  if (arguments.dry_run)
    throw UsageError("--dry-run is for a run that begins, and --resume goes on with one");
  RunFolder folder = RunFolder::resume(arguments.resume);
  TrainConfig config = resumed_config(arguments, folder, session.registry);
  const std::unique_ptr<Task> task = make_task(config, session.registry);
  fmt::print("{}", headline(config, *task, !folder.has_checkpoint(), session));
  train_in(folder, config, *task, session);
}

void add_own_options(CLI::App& command, TrainCommand& arguments) {
  add_value(command, "--resume", "RUN", arguments.resume, "go on with a run that was interrupted")
      ->group("Running");
  command
      .add_flag("--dry-run", arguments.dry_run,
                "show the model, and what memory and time it takes; write nothing")
      ->group("Running");
}

}  // namespace

void add_train_command(CLI::App& app, Session& session) {
  const auto arguments = std::make_shared<TrainCommand>();
  CLI::App* train = app.add_subcommand("train", "train a model on a task");
  train->footer(
      fmt::format("Each task has a recipe of its own: {} train TASK --help.", session.program));
  add_train_options(*train, common_options(session.registry), nullptr, *arguments);
  add_own_options(*train, *arguments);
  for (const TaskEntry& entry : session.registry.tasks()) {
    CLI::App* task = train->add_subcommand(entry.name, entry.summary);
    add_task_options(*task, entry, session.registry, *arguments);
    add_own_options(*task, *arguments);
  }
  train->require_subcommand(0, 1);
  train->callback([=, &session] {
    for (const CLI::App* task : train->get_subcommands()) arguments->task = task->get_name();
    arguments->resume.empty() ? start(*arguments, session) : resume(*arguments, session);
  });
}

}  // namespace tapehead
