#include "help.hpp"
#include "../terminal/terminal.hpp"

#include <fmt/format.h>

#include <sstream>

namespace tapehead {
namespace {

std::string usage(const CLI::App& app, const std::string& name) {
  std::string text = "usage: " + name;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      text += fmt::format(option->get_required() ? " {}{}" : " [{}{}]", option->get_name(true),
                          option->get_expected_max() > 1 ? "..." : "");
  if (!app.get_subcommands({}).empty()) text += app.get_parent() ? " TASK" : " COMMAND";
  return text + " [options]";
}

/// Adds `--heads N`, its help, and its default.
void add_row(Table& table, const CLI::Option& option) {
  std::string name = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  if (name == "-h,--help") name = "-h, --help";
  const std::string value = option.get_positional() ? "" : option.get_type_name();
  std::string help = option.get_description();
  if (!option.get_default_str().empty())
    help += fmt::format(" [{}]", visible(option.get_default_str()));
  table.add({value.empty() ? name : name + ' ' + value, help});
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode) const {
  std::string text;
  text += wrapped(app->get_description(), width_);
  text += '\n' + wrapped(usage(*app, name), width_);
  const std::vector<Table::Align> two = {Table::Align::left, Table::Align::left};

  const auto commands = app->get_subcommands({});
  if (!commands.empty()) {
    Table table(two);
    for (const CLI::App* command : commands)
      table.add({command->get_name(), command->get_description()});
    text += '\n' + table.text(width_, 2);
  }
  std::vector<std::string> groups = {"Positionals"};
  for (const std::string& group : app->get_groups())
    if (group != "Options") groups.push_back(group);
  groups.emplace_back("Options");  // --help, and whatever has no other heading
  for (const std::string& group : groups) {
    Table table(two);
    bool any = false;
    for (const CLI::Option* option : app->get_options()) {
      const std::string heading = option->get_positional() ? "Positionals" : option->get_group();
      if (heading != group || option->get_group().empty()) continue;
      add_row(table, *option);
      any = true;
    }
    if (any)
      text +=
          (group == "Positionals" ? "\n" : fmt::format("\n{}\n", group)) + table.text(width_, 2);
  }
  if (!app->get_footer().empty()) text += '\n';
  std::istringstream footer(app->get_footer());
  for (std::string line; std::getline(footer, line);) text += wrapped(line, width_);
  return text;
}

}  // namespace tapehead
