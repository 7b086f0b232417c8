#include "../../cli/commands/commands.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/options/config_chain.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/config/validate.hpp"
#include "../compare/options.hpp"
#include "commands.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace tapehead {
namespace {

/// A configuration, and its name in the command's output.
struct NamedConfiguration {
  std::string name;
  TrainConfig config;
};

NamedConfiguration default_configuration(const std::string& task, const Registry& registry) {
  return {fmt::format("the default configuration of {}", task),
          validated(default_config(registry.find_task(task)), registry)};
}

/// Returns the configuration that a word names: a run's folder, a file, or a task for its default.
NamedConfiguration configuration(const std::string& word, const Registry& registry) {
  std::error_code ignored;
  if (std::filesystem::is_directory(word, ignored))
    return {word, trained_config(RunFolder::open(word), registry)};
  if (std::filesystem::exists(word, ignored)) {
    const ConfigFiles files = read_config_files({word});
    const TrainConfig config = config_from_lines(files.lines, word, registry);
    try {
      return {word, resolved(config, files.last, registry)};
    } catch (const UsageError& error) {
      throw FileError("{}: {}", word, error.what());
    }
  }
  if (has_named(registry.tasks(), word)) return default_configuration(word, registry);
  throw UsageError("config diff: '{}' isn't a run's folder, a file or a task", visible(word));
}

void diff(const std::vector<std::string>& words, bool json, const Session& session) {
  if (words.size() < 2 || words.size() > 3)
    throw UsageError(
        "config diff: expected two configurations, or one to compare with its task's default "
        "configuration");
  NamedConfiguration a = configuration(words[1], session.registry);
  NamedConfiguration b = words.size() == 3 ? configuration(words[2], session.registry) : a;
  if (words.size() == 2) a = default_configuration(b.config.task, session.registry);
  const std::vector<DifferentOption> options =
      different_options(a.config, b.config, session.registry);
  if (json) return print_json({{"a", a.name}, {"b", b.name}, {"options", to_json(options)}});
  put("A  {}\nB  {}\n\n", visible(a.name), visible(b.name));
  if (options.empty()) return put("all options that affect the result are equal\n");
  put("{}", to_text(options, session.terminal.width));
}

}  // namespace

void add_config_command(const Command& app, Session& session) {
  struct Arguments {
    std::vector<std::string> words;
    bool json = false;
  };
  const Command command = app.add("config", "show the differences between two configurations");
  const auto a = std::make_shared<Arguments>();
  command
      .words(
          "WHAT", "", a->words,
          "diff A B: compare two configurations; A and B are runs, files or tasks (their default "
          "configurations); diff A: compare A with the default configuration of its task")
      .required();
  add_json(command, a->json);
  command.on_run([=, &session] {
    require_known("config command", a->words[0], {"diff"});
    diff(a->words, a->json, session);
  });
}

}  // namespace tapehead
