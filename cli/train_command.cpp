#include <tapehead/cli/commands.hpp>
#include <tapehead/cli/config_file.hpp>
#include <tapehead/cli/load_run.hpp>
#include <tapehead/cli/progress.hpp>
#include <tapehead/train/files.hpp>

#include <csignal>
#include <filesystem>

namespace tapehead {
namespace {

constexpr int interrupted_status = 130;

/// While it lives, SIGINT and SIGTERM ask training to stop. A second one ends the program, which
/// loses no more than the steps since the last checkpoint.
class StopSignals {
 public:
  StopSignals() {
    static_assert(std::atomic<bool>::is_always_lock_free);
    stop = false;
    struct sigaction action {};
    action.sa_handler = [](int) { stop = true; };
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static inline std::atomic<bool> stop = false;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

/// What was given on the command line.
struct TrainArguments {
  Settings given;
  std::string task, config, resume;
};

void check_task(const TrainArguments& arguments, const TrainConfig& config,
                const std::string& where) {
  if (!arguments.task.empty() && arguments.task != config.task)
    throw UsageError("train {}: {} says that the task is {}", arguments.task, where, config.task);
}

TrainConfig new_config(const TrainArguments& arguments, const Registry& registry) {
  TrainConfig config;
  if (!arguments.config.empty()) {
    const std::string text = require_utf8(read_file(arguments.config), arguments.config);
    config = config_from_toml(text, arguments.config, registry);
    check_task(arguments, config, arguments.config);
  } else if (!arguments.task.empty()) {
    config = recipe_of(registry.find_task(arguments.task));
  } else {
    throw UsageError("train needs a task, --config FILE or --resume RUN; see train --help");
  }
  apply(arguments.given, all_options(registry.find_task(config.task), registry), config);
  return checked(config, registry);
}

/// A run goes on as it was started, but for what changes no bit of it.
TrainConfig resumed_config(const TrainArguments& arguments, const RunFolder& folder,
                           const Registry& registry) {
  if (!arguments.config.empty())
    throw UsageError("--resume goes on with the run's own config.toml; leave out --config");
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

/// What is going to be trained, in a line or two. Makes the model, so that one which can't be made
/// is found before there is a folder for it.
std::string headline(const TrainConfig& config, const Task& task, const Session& session) {
  const auto many = [](Index n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  const auto model = make_model(config, task, session.registry);
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
  if (!outcome.interrupted) return print_outcome(outcome, task, folder.path(), session);
  fmt::print("interrupted after step {} of {}; all of them are saved\n", outcome.steps,
             config.steps);
  fmt::print("to go on:  {} train --resume {}\n", session.program, folder.path());
  session.status = interrupted_status;
}

void start(const TrainArguments& arguments, Session& session) {
  TrainConfig config = new_config(arguments, session.registry);
  // Whatever can't be is found before there is a folder.
  const std::unique_ptr<Task> task = make_task(config, session.registry);
  const std::string head = headline(config, *task, session);
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

void resume(const TrainArguments& arguments, Session& session) {
  RunFolder folder = RunFolder::resume(arguments.resume);
  TrainConfig config = resumed_config(arguments, folder, session.registry);
  const std::unique_ptr<Task> task = make_task(config, session.registry);
  fmt::print("{}", headline(config, *task, session));
  train_in(folder, config, *task, session);
}

void add_options(CLI::App& command, const std::vector<TrainOption>& options,
                 const TrainConfig* defaults, TrainArguments& arguments) {
  for (const TrainOption& option : options)
    command
        .add_option_function<std::string>(
            "--" + option.name,
            [&given = arguments.given, name = option.name](const std::string& value) {
              given.emplace_back(name, value);
            },
            option.help)
        ->type_name(option.value)
        ->group(option.group)
        ->default_str(defaults ? option.get(*defaults) : "")
        ->take_last();
  add_value(command, "--config", "FILE", arguments.config, "take options from a run's config.toml")
      ->group("Running");
  add_value(command, "--resume", "RUN", arguments.resume, "go on with a run that was interrupted")
      ->group("Running");
}

}  // namespace

void add_train_command(CLI::App& app, Session& session) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* train = app.add_subcommand("train", "train a model on a task");
  train->footer(
      fmt::format("Each task has a recipe of its own: {} train TASK --help.", session.program));
  add_options(*train, common_options(session.registry), nullptr, *arguments);
  for (const TaskEntry& entry : session.registry.tasks()) {
    CLI::App* task = train->add_subcommand(entry.name, entry.summary);
    task->footer(fmt::format("Teaches: {}\nExpect: {}", entry.teaches, entry.expected));
    const TrainConfig recipe = recipe_of(entry);
    add_options(*task, all_options(entry, session.registry), &recipe, *arguments);
  }
  train->require_subcommand(0, 1);
  train->callback([=, &session] {
    for (const CLI::App* task : train->get_subcommands()) arguments->task = task->get_name();
    arguments->resume.empty() ? start(*arguments, session) : resume(*arguments, session);
  });
}

}  // namespace tapehead
