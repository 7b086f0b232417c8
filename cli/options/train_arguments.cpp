#include "train_arguments.hpp"
#include "../../train/files/files.hpp"
#include "../../train/trainer.hpp"
#include "config_chain.hpp"
#include "run_files.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace tapehead {

namespace {

/// The options that the help shows in addition to a task's own options. The others appear with
/// --help all.
constexpr const char* most_used[] = {
    "arch",   "layers",       "heads", "width", "position", "mlp",  "dropout", "optimizer",  "lr",
    "warmup", "weight-decay", "batch", "steps", "until",    "init", "seed",    "eval-every", "out"};

bool is_shown(const Option& option) {
  return option.group == "Task" ||
         std::find(std::begin(most_used), std::end(most_used), option.name) != std::end(most_used);
}

/// Adds an option. Its help shows the default, unless that is empty.
CommandOption add_train_option(const Command& command, const Option& option,
                               const std::string& shown_default, TrainArguments& arguments) {
  const auto take = [&given = arguments.given, name = option.name](const std::string& value) {
    given.emplace_back(name, value);
  };
  const std::string alias = option.alias.empty() ? "" : ",--" + option.alias;
  if (!option.is_boolean())
    return command.option("--" + option.name + alias, option.kind, take, option.help)
        .shown_default(shown_default);
  return command.boolean(
      option.name, option.alias, take,
      option.help + (shown_default.empty() ? "" : fmt::format(" [{}]", shown_default)));
}

}  // namespace

std::string default_in(const std::vector<TrainConfig>& defaults, const Option& option) {
  std::set<std::string> values;
  for (const TrainConfig& config : defaults)
    if (option.is_read(config)) values.insert(option.get(config));
  if (values.size() > 1) return option.default_value + ", or by task";
  if (values.size() == 1) return *values.begin();
  return defaults.empty() ? "" : option.default_in(defaults[0]);
}

void add_train_options(const Command& command, const std::vector<Option>& options,
                       const std::vector<TrainConfig>& defaults, bool all,
                       TrainArguments& arguments) {
  for (const Option& option : options)
    add_train_option(command, option, default_in(defaults, option), arguments)
        .group(all || is_shown(option) ? option.group : CommandOption::not_shown);
  command
      .words("--config", "FILE", arguments.configs,
             "file with options, such as a run's config.toml; repeatable: later files override")
      .repeated()
      .group("Running");
}

void add_options_of_tasks(const Command& command, const Registry& registry,
                          TrainArguments& arguments) {
  std::map<std::string, Option> options;  // by name; an alias of one task serves all
  for (const TaskEntry& entry : registry.tasks())
    for (const Option& option : all_options(entry, registry))
      if (option.group == "Task") {
        Option& first = options.try_emplace(option.name, option).first->second;
        if (first.alias.empty()) first.alias = option.alias;
      }
  for (const auto& [name, option] : options)
    add_train_option(command, option, "", arguments).group(CommandOption::not_shown);
}

void add_task_options(const Command& command, const TaskEntry& entry, const Registry& registry,
                      bool all, TrainArguments& arguments) {
  std::vector<std::string> footer;
  if (!entry.teaches.empty()) footer.push_back("Teaches: " + entry.teaches);
  if (!entry.expected.empty()) footer.push_back("Expect: " + entry.expected);
  for (const Preset& preset : entry.presets)
    footer.push_back(fmt::format("--preset {}: {}", preset.name, preset.summary));
  if (!all) footer.emplace_back(most_used_note);
  command.footer(fmt::format("{}", fmt::join(footer, "\n")));
  add_train_options(command, all_options(entry, registry), {default_config(entry)}, all, arguments);
  command
      .option(
          "--preset", "NAME",
          [&preset = arguments.preset](const std::string& name) { preset = name; },
          "preset of the task to start from")
      .group("Running");
}

void check_task(const TrainArguments& arguments, const TrainConfig& config,
                const std::string& where) {
  if (!arguments.task.empty() && arguments.task != config.task)
    throw UsageError("train {}: the task in {} is {}", arguments.task, where, config.task);
}

namespace {

/// Returns the last working directory in the lines; empty if there is none.
std::string working_directory_of(const std::vector<ConfigLine>& lines) {
  std::string directory;
  for (const ConfigLine& line : lines)
    if (line.name == "working-directory") directory = line.value;
  return directory;
}

/// Returns the configuration of --config. Options in the last file for parts that aren't chosen are
/// errors. Such options of earlier files are ignored.
TrainConfig config_of_files(const TrainArguments& arguments, const Registry& registry) {
  const std::string& last = arguments.configs.back();
  const ConfigFiles files = read_config_files(arguments.configs);
  TrainConfig config = config_from_lines(files.lines, last, registry);
  check_task(arguments, config, last);
  try {
    without_unused(config, files.last, registry);
  } catch (const UsageError& error) {
    throw FileError("{}: {}{}", last, error.what(), foreign_program_hint(files.last, registry));
  }
  return from_directory(config, working_directory_of(files.lines), registry);
}

/// Returns the base configuration: the files of --config, or the task's default with --preset.
TrainConfig base_config(const TrainArguments& arguments, const Registry& registry) {
  if (!arguments.configs.empty() && arguments.preset)
    throw UsageError("--preset and --config can't be combined; remove one");
  if (!arguments.configs.empty()) return config_of_files(arguments, registry);
  if (arguments.task.empty())
    throw UsageError("train needs a task, such as train copy; or --config FILE, or --resume RUN");
  const TaskEntry& entry = registry.find_task(arguments.task);
  TrainConfig config = default_config(entry);
  if (arguments.preset)
    apply(find_preset(entry, *arguments.preset).settings, all_options(entry, registry), config);
  return config;
}

}  // namespace

TrainConfig new_config(const TrainArguments& arguments, const Registry& registry) {
  TrainConfig config = base_config(arguments, registry);
  apply(arguments.given, all_options(registry.find_task(config.task), registry), config);
  return resolved(config, arguments.given, registry);
}

}  // namespace tapehead
