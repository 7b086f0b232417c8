#pragma once
// The commands, one per file. Each function adds its command to the command line.
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "../options/command.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// The state of one call of the program.
struct Session {
  const Registry& registry;
  Terminal terminal;
  std::string program;       ///< the program's name as the user types it
  bool all_options = false;  ///< --help all: the help shows rarely used options as well
  bool help = false;         ///< the command line asks for help, which shows the defaults
  std::string task = {};     ///< the word after the command, possibly a task
  int status = 0;
};
/// Returns the task that the command line names, or all tasks if it names none.
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
/// Returns the built-in commands, without `export` if it has no formats, then the registered ones.
std::vector<CommandEntry> all_commands(const Registry& registry);

/// Adds the option --json.
CommandOption add_json(const Command& command, bool& json);
void print_json(const Json& document);

}  // namespace tapehead
