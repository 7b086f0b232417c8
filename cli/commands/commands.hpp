#pragma once
// The commands, one per file. Each adds itself to the command line.
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "../options/command.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// The state of one call of the program.
struct Session {
  const Registry& registry;
  Terminal terminal;
  std::string program;       ///< as the user would type it
  bool all_options = false;  ///< --help all: the help has the rarely used ones, too
  std::string task = {};     ///< the word after the command: perhaps the task that it is for
  int status = 0;
};
/// The task that the command line names, or all of them if it names none: those whose options are
/// needed.
std::vector<TaskEntry> tasks_called(const Session& session);

void add_train_command(const Command& app, Session& session);
void add_eval_command(const Command& app, Session& session);
void add_sample_command(const Command& app, Session& session);
void add_attention_command(const Command& app, Session& session);
void add_list_commands(const Command& app, Session& session);  ///< tasks, ops, layers, parts
void add_digest_command(const Command& app, Session& session);
void add_export_command(const Command& app, Session& session);
void add_bench_command(const Command& app, Session& session);

struct CommandEntry;
/// These, but `export` where there is no format for it; then those that are registered.
std::vector<CommandEntry> all_commands(const Registry& registry);

/// Adds the option --json, for which a command prints one document.
CommandOption add_json(const Command& command, bool& json);
void print_json(const Json& document);

}  // namespace tapehead
