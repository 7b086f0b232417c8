#include "app.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/numerics.hpp"
#include "../core/runtime/float_mode.hpp"
#include "../core/system/signals.hpp"
#include "../core/system/terminal.hpp"
#include "../train/config/options.hpp"
#include "../train/files/json.hpp"
#include "../train/files/message.hpp"
#include "../train/files/strings.hpp"
#include "commands/commands.hpp"
#include "extensions.hpp"
#include "options/help.hpp"
#include "options/typed_names.hpp"
#include "package/package.hpp"
#include "terminal/output.hpp"

#include <fmt/ranges.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace tapehead {
namespace {

enum Status { done = 0, failed = 1, wrong_usage = 2 };

/// Returns the program's name, without the extension .exe.
std::string base_name(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  const std::string text = (name.extension() == ".exe" ? name.stem() : name).string();
  return text.empty() ? "tapehead" : text;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// If the command is a task without this option, returns which tasks have it; otherwise empty.
std::string tasks_with(const std::string& word, const CLI::App& command, const Registry& registry) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names;
  bool is_task = false;
  for (const TaskEntry& task : registry.tasks()) {
    is_task = is_task || task.name == command.get_name();
    for (const Option& option : task.options)
      if ("--" + option.name == word) names.push_back(task.name);
  }
  if (!is_task || names.empty()) return "";
  const std::size_t count = names.size();
  names.resize(std::min(count, most));
  return fmt::format("; {} doesn't have it, but these tasks do: {}{}", command.get_name(),
                     fmt::join(names, ", "),
                     count > most ? fmt::format(" and {} more", count - most) : "");
}

/// Throws UsageError for words that no command or option accepts.
void refuse_extras(const CLI::App& command, const Registry& registry) {
  const std::vector<std::string> extras = command.remaining();
  if (!extras.empty()) {
    const std::string word = extras[0].substr(0, extras[0].find('='));
    const auto commands = command.get_subcommands({});
    if (word.size() > 1 && word[0] == '-') {
      std::string hint = suggestion(word, option_names(command));
      if (hint.empty()) hint = tasks_with(word, command, registry);
      throw UsageError("unknown option {}{}", word, hint);
    }
    if (commands.empty()) throw UsageError("{}: unexpected '{}'", command.get_name(), extras[0]);
    std::vector<std::string> names;
    for (const CLI::App* known : commands) names.push_back(known->get_name());
    refuse_unknown(subcommand_kind(command), extras[0], names);
  }
  for (const CLI::App* used : command.get_subcommands()) refuse_extras(*used, registry);
}

std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent ? path_of(*parent) + ' ' : "") + command.get_name();
}

/// Removed commands and their replacements.
constexpr std::pair<const char*, const char*> removed_commands[] = {
    {"doctor", "--version --verbose"}, {"tune", "sweep TASK --lr-range"}};

/// Throws UsageError for a removed command, and for an unknown command if this build lacks parts.
void refuse_other_command(const CLI::App& app, const Registry& registry) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty() || words[0][0] == '-' || !app.get_subcommands().empty()) return;
  for (const auto& [removed, instead] : removed_commands)
    if (words[0] == removed)
      throw UsageError("the command {} was removed; use {} {}", removed, app.get_name(), instead);
  std::vector<std::string> lacking, names;
  for (const PartsOfBuild& build : registry.extensions<PartsOfBuild>())
    for (const PartsOfBuild::LeftOut& part : build.left_out) lacking.push_back(part.name);
  if (lacking.empty()) return;
  for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
  if (suggestion(words[0], names).empty())
    throw UsageError(
        "unknown command '{}'; this build lacks the parts {}; build all parts with ./dev build",
        words[0], fmt::join(lacking, ", "));
}

/// Rephrases an error of CLI11 like the other errors.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error,
                         const Registry& registry) {
  refuse_other_command(app, registry);
  refuse_extras(app, registry);
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const std::string text = error.what();
  const std::string help = fmt::format("see {} --help", path_of(*command));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && starts_with(text, "--"))
    throw UsageError("{} needs a value; {}", text.substr(0, text.find(':')), help);
  throw UsageError("{}; {}", text, help);
}

using Words = std::vector<std::string>;

/// Returns the words of a command line. `help train` becomes `train --help`.
Words words_of(int argc, char** argv) {
  Words words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  words.insert(words.size() > 1 && words.back() == "all" ? words.end() - 1 : words.end(), "--help");
  return words;
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

/// Turns a final `--help all` or `--help=all` into `--help`. Returns whether it was present.
bool take_all(Words& words) {
  const std::size_t count = words.size();
  if (count > 0 && words[count - 1] == "--help=all") {
    words[count - 1] = "--help";
    return true;
  }
  if (count < 2 || words[count - 1] != "all" || !is_help(words[count - 2])) return false;
  words.pop_back();
  return true;
}

/// Works around two quirks of CLI11. It reads `--out=` as `--out` with the next word as the value.
/// It also gives words after `--` to the parent command once this command has its required words.
/// So `--` is removed if nothing after it looks like an option or the command ignores it.
void normalize_words(Words& words, const Registry& registry) {
  auto mark = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != mark; ++word) {
    if (word->size() < 4 || word->compare(0, 2, "--") != 0 || word->find('=') != word->size() - 1)
      continue;
    word->pop_back();
    word = words.insert(word + 1, "");
    mark = std::find(word, words.end(), "--");
  }
  if (mark == words.end()) return;
  using Dashes = CommandEntry::Dashes;
  Dashes dashes = Dashes::end_options;
  for (const CommandEntry& entry : all_commands(registry))
    if (entry.name == words[0]) dashes = entry.dashes;
  const auto could_be_option = [](const std::string& word) { return starts_with(word, "-"); };
  if (dashes == Dashes::say_nothing ||
      (dashes == Dashes::end_options && std::none_of(mark + 1, words.end(), could_be_option)))
    words.erase(mark);
}

/// Adds the command that is called, or all commands if there is none, as in `--help`. Making the
/// options of all commands would take longer than most commands run.
void add_commands(CLI::App& app, const Words& words, Session& session) {
  if (!words.empty() && words[0] == "--version") return;
  const Command commands(app);
  const std::vector<CommandEntry> all = all_commands(session.registry);
  session.help = any_of(words, is_help);
  const auto called = find_if(
      all, [&](const CommandEntry& entry) { return !words.empty() && entry.name == words[0]; });
  if (called != all.end()) {
    session.task = words.size() > 1 ? words[1] : "";
    return called->add(commands, session);
  }
  session.help = session.all_options = true;  // for man pages
  const auto put_in = [&](const std::string& group) {
    for (CLI::App* command : app.get_subcommands({}))
      if (command->get_group() == CLI::App().get_group()) command->group(group);
  };
  for (const CommandEntry& entry : all) {
    entry.add(commands, session);
    put_in(entry.group);
  }
  add_package_commands(commands, app, session);
  put_in("Manage");
}

/// Adds `--version`, `--verbose` and `--json`.
void add_version(CLI::App& app, const Session& session) {
  const auto option = [&](const char* name) { return app.get_option(name)->count() > 0; };
  const auto text = [=, &app, &session] {
    if (!option("--verbose") && !option("--json"))
      return fmt::format("{} {} ({}, numerics {})", app.get_name(), TAPEHEAD_VERSION,
                         instruction_set(), numerics);
    const Json details = version_details(session.registry);
    return option("--json") ? to_text(details, 2) : version_text(details, session.terminal.width);
  };
  CLI::Option* const version =
      app.set_version_flag("--version", text, "version, instruction set and numerics");
  app.add_flag("--verbose", "with --version: details of the build, the machine and runs/")
      ->needs(version);
  app.add_flag("--json", "with --version: the same details as one JSON document")->needs(version);
}

int execute(CLI::App& app, Words words, Session& session) {
  try {
    normalize_words(words, session.registry);
    std::reverse(words.begin(), words.end());  // the order that CLI11 expects
    app.parse(words);
    if (app.get_subcommands().empty()) put("{}", app.help());
  } catch (const CLI::CallForHelp&) {
    put("{}", app.help());
  } catch (const CLI::CallForVersion& version) {
    put("{}\n", version.what());
  } catch (const CLI::ParseError& error) {
    refuse(app, error, session.registry);
  }
  flush_output();
  return session.status;
}

/// Prints completions for a shell. The words are not parsed.
int complete(const CLI::App& app, Words words, const Registry& registry) {
  words.erase(words.begin());
  for (const std::string& candidate : completions(app, words, registry)) put("{}\n", candidate);
  flush_output();
  return done;
}

/// Prints an error as one line.
int print_error(const std::string& program, const std::string& text, Status status) {
  std::fflush(stdout);
  message(program + ": " + text);
  return status;
}

/// Returns the names of the options in a command line, without dashes.
std::vector<std::string> names_in(const Words& words) {
  std::vector<std::string> names;
  for (const std::string& word : words)
    for (const std::string dashes : {"--no-", "--"})
      if (starts_with(word, dashes))
        names.push_back(word.substr(dashes.size(), word.find('=') - dashes.size()));
  return names;
}

}  // namespace

int run_or_throw(int argc, char** argv, const Registry& registry) {
  const std::string typed = argc > 0 ? argv[0] : "tapehead";
  const std::string name = base_name(typed);
  Words words = words_of(argc, argv);
  Registry own = registry;
  own.program = name;
  own.command = shell_line(Words(argv, argv + argc));
  Session session{own, Terminal::of_output(), name == "tapehead" ? name : shell_word(typed),
                  take_all(words)};
  CLI::App app("Trains small transformers and shows what they learn.", name);
  app.footer(fmt::format(
      "Help for a command: {0} COMMAND --help; for all options of train: {0} train --help all.\n"
      "Documentation: docs/ in the sources; start with docs/README.md.",
      session.program));
  app.formatter(std::make_shared<HelpFormatter>(session.terminal.width));
  app.set_help_flag("-h,--help", "this help");
  add_version(app, session);
  add_commands(app, words, session);
  if (!words.empty() && words[0] == "complete") return complete(app, words, own);
  try {
    return execute(app, words, session);
  } catch (const UsageError& error) {
    throw UsageError("{}", with_typed_names(error.what(), names_in(words), own));
  }
}

CommandOption add_json(const Command& command, bool& json) {
  return command.flag("--json", json, "output as one JSON document");
}
void print_json(const Json& document) { put("{}\n", to_text(document, 2)); }

int run(int argc, char** argv, const Registry& registry) {
  const FloatMode mode;
  system::prepare_standard_files();
  const WriteSignalGuard too_large(WriteSignalGuard::To::file);
  const std::string name = base_name(argc > 0 ? argv[0] : "tapehead");
  try {
    return run_or_throw(argc, argv, registry);
  } catch (const UsageError& error) {
    return print_error(name, error.what(), wrong_usage);
  } catch (
      const ValueError& error) {  // such as an unknown token in a prompt, or a negative temperature
    return print_error(name, error.what(), wrong_usage);
  } catch (const std::bad_alloc&) {
    return print_error(name, "out of memory", failed);
  } catch (const std::exception& error) {
    return print_error(name, error.what(), failed);
  } catch (...) {  // custom code may throw anything
    return print_error(
        name,
        "a function of this program threw a value that isn't a std::exception; throw "
        "tapehead::Error with the reason",
        failed);
  }
}

}  // namespace tapehead
