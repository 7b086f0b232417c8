#include "help.hpp"
#include "../terminal/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {

const char* subcommand_kind(const CLI::App& command) {
  if (!command.get_parent()) return "command";
  for (const CLI::App* part : command.get_subcommands({}))
    if (!part->get_subcommands({}).empty()) return "command";
  return "task";
}

std::string usage(const CLI::App& command, const std::string& name) {
  std::string text = name;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      text += fmt::format(option->get_required() ? " {}{}" : " [{}{}]", option->get_name(true),
                          option->get_expected_max() > 1 ? "..." : "");
  if (!command.get_subcommands({}).empty())
    text += std::string(subcommand_kind(command)) == "task" ? " TASK" : " COMMAND";
  return text + " [options]";
}

bool is_boolean(const CLI::Option& option) {
  return option.get_items_expected_min() == 0 && option.get_items_expected_max() == 1 &&
         option.get_type_name().empty();
}

OptionText text_of(const CLI::Option& option) {
  const bool positional = option.get_positional();
  OptionText text{positional ? option.get_name(true) : option.get_name(false, true),
                  positional ? "" : option.get_type_name(), option.get_description()};
  for (std::size_t at = 0; (at = text.name.find(",-", at)) != std::string::npos; ++at)
    text.name.replace(at, 1,
                      is_boolean(option) || text.value.empty() ? ", " : ' ' + text.value + ", ");
  if (is_boolean(option))
    for (std::size_t at = 0; (at = text.name.find("--", at)) != std::string::npos; at += 7)
      text.name.replace(at, 2, "--[no-]");
  else if (!option.get_default_str().empty())
    text.help += fmt::format(" [{}]", visible(option.get_default_str()));
  return text;
}

std::vector<OptionGroup> groups_of(const CLI::App& command) {
  const std::string positionals = "Positionals", others = "Options";
  std::vector<OptionGroup> groups = {{positionals, {}}};
  for (const std::string& group : command.get_groups())
    if (group != others && group != CommandOption::not_shown) groups.push_back({group, {}});
  groups.push_back({others, {}});  // --help and options without another heading
  for (OptionGroup& group : groups)
    for (const CLI::Option* option : command.get_options())
      if ((option->get_positional() ? positionals : option->get_group()) == group.heading)
        group.options.push_back(option);
  groups.front().heading = "";
  return groups;
}

namespace {

std::vector<std::string> texts_of(const OptionGroup& group) {
  std::vector<std::string> texts;
  for (const CLI::Option* option : group.options) {
    const OptionText row = text_of(*option);
    texts.insert(texts.end(), {row.name, row.value, row.help});
  }
  return texts;
}

const OptionGroup* find_group(const std::vector<OptionGroup>& groups, const std::string& heading) {
  const auto found =
      find_if(groups, [&](const OptionGroup& group) { return group.heading == heading; });
  return found == groups.end() ? nullptr : &*found;
}

/// Returns the groups that all subcommands share with equal options.
std::vector<OptionGroup> shared_groups(const CLI::App& command) {
  const auto parts = command.get_subcommands({});
  if (parts.empty()) return {};
  if (parts.size() == 1) return shared_groups(*parts[0]);
  std::vector<OptionGroup> shared = groups_of(*parts[0]);
  for (const CLI::App* part : parts) {
    const std::vector<OptionGroup> groups = groups_of(*part);
    erase_if(shared, [&](const OptionGroup& group) {
      const OptionGroup* same = find_group(groups, group.heading);
      return !same || texts_of(*same) != texts_of(group);
    });
  }
  return shared;
}

}  // namespace

std::vector<OptionGroup> shown_groups(const CLI::App& command) {
  std::vector<OptionGroup> groups = groups_of(command), shown;
  for (OptionGroup& shared : shared_groups(command)) {
    const OptionGroup* own = find_group(groups, shared.heading);
    if (!own) {
      shown.push_back(shared);
      continue;
    }
    // Options that all subcommands share but the command lacks.
    std::vector<const CLI::Option*> others;
    for (const CLI::Option* option : shared.options)
      if (const auto& names = option->get_lnames();
          !names.empty() && !command.get_option_no_throw("--" + names[0]))
        others.push_back(option);
    auto& options = groups[static_cast<std::size_t>(own - groups.data())].options;
    options.insert(options.begin(), others.begin(), others.end());
  }
  append(shown, groups);
  return shown;
}

std::vector<CommandGroup> command_groups(const CLI::App& app) {
  // Headings of custom commands follow these.
  std::vector<CommandGroup> groups = {{"Train", "train copy", {}},
                                      {"Evaluate", "eval runs/copy-0", {}},
                                      {"Inspect", "attention runs/copy-0", {}},
                                      {"Check", "digest runs/copy-0", {}},
                                      {"Manage", "runs", {}},
                                      {"Learn", "tasks", {}}};
  for (const CLI::App* command : app.get_subcommands({})) {
    auto group = find_if(
        groups, [&](const CommandGroup& each) { return each.heading == command->get_group(); });
    if (group == groups.end()) group = groups.insert(group, {command->get_group(), "", {}});
    group->commands.push_back(command);
  }
  for (CommandGroup& group : groups)  // no example with a command that this build lacks
    if (none_of(group.commands, [&](const CLI::App* command) {
          return command->get_name() == group.example.substr(0, group.example.find(' '));
        }))
      group.example.clear();
  erase_if(groups, [](const CommandGroup& each) { return each.commands.empty(); });
  return groups;
}

namespace {

int longest_name(const CLI::App& app) {
  int longest = 0;
  for (const CLI::App* command : app.get_subcommands({}))
    longest = std::max(longest, display_width(command->get_name()));
  return longest;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode) const {
  std::string text;
  text += wrapped(app->get_description(), width_);
  text += '\n' + wrapped("usage: " + usage(*app, name), width_);
  const std::vector<Table::Align> two = {Table::Align::left, Table::Align::left};

  for (const CommandGroup& group : command_groups(*app)) {
    const bool has_heading = !app->get_parent();
    Table table(two);
    for (const CLI::App* command : group.commands)
      table.add(
          {has_heading ? pad_right(command->get_name(), longest_name(*app)) : command->get_name(),
           command->get_description()});
    const std::string example =
        group.example.empty() ? "" : fmt::format(" (example: {} {})", name, group.example);
    text += '\n' + (has_heading ? wrapped(group.heading + example, width_) : "") +
            table.text(width_, 2);
  }
  for (const OptionGroup& group : shown_groups(*app)) {
    Table table(two);
    for (const CLI::Option* option : group.options) {
      OptionText row = text_of(*option);
      if (is_boolean(*option) && display_width(row.name) > width_ / 2)  // a narrow terminal
        row.name = option->get_name(false);
      table.add({row.value.empty() ? row.name : row.name + ' ' + row.value, row.help});
    }
    if (!group.options.empty())
      text += '\n' + (group.heading.empty() ? "" : group.heading + '\n') + table.text(width_, 2);
  }
  if (!app->get_footer().empty()) text += '\n';
  for (const std::string& line : split_lines(app->get_footer())) text += wrapped(line, width_);
  return text;
}

}  // namespace tapehead
