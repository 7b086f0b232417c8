#include "../../train/config/options.hpp"
#include "../options/help.hpp"
#include "package.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

using Cells = std::vector<std::string>;

std::string line_of(const Cells& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    for (const char c : cell) line += c == '|' ? "\\|" : std::string(1, c);
    line += '|';
  }
  return line + '\n';
}

std::string table_of(const Cells& head, const std::vector<Cells>& rows) {
  std::string text = line_of(head) + line_of(Cells(head.size(), "-"));
  for (const Cells& row : rows) text += line_of(row);
  return text + '\n';
}

/// A table whose equal rows are joined; the first cell lists the users of a row.
class SharedRows {
 public:
  void add(const std::string& user, const Cells& row) {
    for (auto& [users, known] : rows_)
      if (known == row) return users.push_back(user);
    rows_.push_back({{user}, row});
  }
  std::size_t users_of(const Cells& row) const {
    for (const auto& [users, known] : rows_)
      if (known == row) return users.size();
    return 0;
  }
  std::string text(Cells head, std::size_t least_users) const {
    std::vector<Cells> all;
    for (const auto& [users, row] : rows_) {
      if (users.size() < least_users) continue;
      all.push_back(row);
      all.back().insert(all.back().begin(), fmt::format("{}", fmt::join(users, ", ")));
    }
    return table_of(head, all);
  }

 private:
  std::vector<std::pair<Cells, Cells>> rows_;
};

/// Returns the names of an option, such as `--lr X`, as Markdown code.
std::string code(const std::string& names) {
  std::string text = '`' + names + '`';
  for (std::size_t at = 0; (at = text.find(", -", at)) != std::string::npos; at += 4)
    text.replace(at, 2, "`, `");
  return text;
}

/// Returns a row with name, default and effect. The default is taken from the brackets at the end
/// of the help.
Cells row_of(const std::string& name, const std::string& value, std::string help) {
  std::string shown;
  if (const std::size_t at = help.rfind(" ["); at != std::string::npos && help.back() == ']') {
    shown = help.substr(at + 2, help.size() - at - 3);
    help.resize(at);
  }
  return {code(value.empty() ? name : name + ' ' + value), shown, help};
}

std::vector<Cells> rows_of(const OptionGroup& group) {
  std::vector<Cells> rows;
  for (const CLI::Option* option : group.options) {
    const OptionText text = text_of(*option);
    if (text.name != "-h, --help") rows.push_back(row_of(text.name, text.value, text.help));
  }
  return rows;
}

const Cells head = {"Option", "Default", "Effect"};

std::string options_of_tasks(const Registry& registry) {
  SharedRows options;
  std::vector<Cells> defaults;
  for (const TaskEntry& entry : registry.tasks()) {
    for (const Option& option : all_options(entry, registry))
      if (option.group == "Task")
        options.add(entry.name, row_of("--" + option.name, option.is_boolean() ? "" : option.kind,
                                       fmt::format("{} [{}]", option.help, option.default_value)));
    Cells settings;
    for (const Option& option : common_options(registry))
      if (!option.is_default(entry.recipe))
        settings.push_back(fmt::format("{} {}", option.name, option.get(entry.recipe)));
    defaults.push_back({entry.name, fmt::format("{}", fmt::join(settings, ", "))});
  }
  return "## Default configurations of the tasks\n\nOther options have the defaults above.\n\n" +
         table_of({"Task", "Settings"}, defaults) + "## Options of the tasks\n\n" +
         options.text({"Tasks", "Option", "Default", "Effect"}, 1);
}

}  // namespace

std::string options_markdown(const CLI::App& app, const Registry& registry) {
  SharedRows shared;
  std::vector<std::pair<std::string, std::vector<Cells>>> commands;
  std::string text;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string name = command->get_name();
    commands.push_back({name, {}});
    for (const OptionGroup& group : shown_groups(*command)) {
      const std::vector<Cells> rows = rows_of(group);
      if (name == "train" && !rows.empty())
        text += fmt::format("## train: {}\n\n{}", group.heading, table_of(head, rows));
      for (const Cells& row : rows)
        if (name != "train") {
          shared.add(name, row);
          commands.back().second.push_back(row);
        }
    }
  }
  text += options_of_tasks(registry) + "## Options of several commands\n\n" +
          shared.text({"Commands", "Option", "Default", "Effect"}, 2);
  for (const auto& [name, all] : commands) {
    std::vector<Cells> own;
    for (const Cells& row : all)
      if (shared.users_of(row) == 1) own.push_back(row);
    if (!own.empty()) text += fmt::format("## {}\n\n{}", name, table_of(head, own));
  }
  text.pop_back();
  return text;
}

}  // namespace tapehead
