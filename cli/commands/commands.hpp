#pragma once
// The commands, one per file. Each adds itself to the command line.
#include "../../train/config/registry.hpp"
#include "../terminal/terminal.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json_fwd.hpp>

namespace tapehead {

/// The state of one call of the program.
struct Session {
  const Registry& registry;
  Terminal terminal;
  std::string program;  ///< as the user would type it
  int status = 0;
};

void add_train_command(CLI::App& app, Session& session);
void add_sweep_command(CLI::App& app, Session& session);
void add_eval_command(CLI::App& app, Session& session);
void add_sample_command(CLI::App& app, Session& session);
void add_attention_command(CLI::App& app, Session& session);
void add_report_command(CLI::App& app, Session& session);
void add_list_commands(CLI::App& app, Session& session);  ///< tasks, ops, layers
void add_gradcheck_command(CLI::App& app, Session& session);
void add_bench_command(CLI::App& app, Session& session);
void add_explain_command(CLI::App& app, Session& session);

/// Adds an option with one value, of which the last one given counts; `value` is its name in the
/// help.
CLI::Option* add_value(CLI::App& command, const std::string& name, const std::string& value,
                       std::string& target, const std::string& help);
CLI::Option* add_value(CLI::App& command, const std::string& name, Index& target,
                       const std::string& help);
CLI::Option* add_value(CLI::App& command, const std::string& name, double& target,
                       const std::string& help);

void print_json(const nlohmann::ordered_json& document);

}  // namespace tapehead
