#include "../../core/op.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/json.hpp"
#include "../terminal/output.hpp"
#include "commands.hpp"
#include "named.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

constexpr auto left = Table::Align::left;

/// Returns the settings of a task's default configuration that differ from the common defaults.
Settings recipe(const TaskEntry& entry, const Registry& registry) {
  Settings settings;
  for (const Option& option : common_options(registry))
    if (!option.is_default(entry.recipe))
      settings.emplace_back(option.name, option.get(entry.recipe));
  return settings;
}

/// Converts numbers and booleans to JSON values, anything else to a string.
Json typed(const std::string& value) {
  const Json parsed = parse_json(value).value_or(Json());
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(value);
}

Json to_json(const TaskEntry& entry, const Registry& registry) {
  Json options = Json::array(), settings = Json::object(), presets = Json::array();
  for (const Option& option : entry.options)
    options.push_back(
        {{"name", option.name}, {"help", option.help}, {"default", option.default_value}});
  for (const auto& [name, value] : recipe(entry, registry)) settings[name] = typed(value);
  for (const Preset& preset : entry.presets)
    presets.push_back({{"name", preset.name}, {"summary", preset.summary}});
  return {{"name", entry.name},        {"summary", entry.summary},
          {"teaches", entry.teaches},  {"expected", entry.expected},
          {"arch", entry.recipe.arch}, {"architectures", entry.architectures},
          {"options", options},        {"recipe", settings},
          {"presets", presets}};
}

void list_tasks(const Session& session, const Names& names, bool json) {
  Json document = Json::array();
  std::string text;
  for (const TaskEntry& entry : named("task", names, session.registry.tasks())) {
    document.push_back(to_json(entry, session.registry));
    std::vector<std::string> options, settings;
    for (const Option& option : entry.options)
      options.push_back(option.default_value.empty()
                            ? "--" + option.name
                            : fmt::format("--{} {}", option.name, option.default_value));
    for (const auto& [name, value] : recipe(entry, session.registry))
      settings.push_back(fmt::format("--{} {}", name, value));
    Table table({left, left});
    const auto add = [&](const char* what, const std::string& value) {
      if (!value.empty()) table.add({what, value});
    };
    add("teaches", entry.teaches);
    add("models", fmt::format("{}", fmt::join(entry.architectures, ", ")));
    if (names.empty()) add("options", fmt::format("{}", fmt::join(options, " ")));
    for (std::size_t i = 0; !names.empty() && i < options.size(); ++i)
      add("option", fmt::format("{}: {}", options[i], entry.options[i].help));
    add("recipe", fmt::format("{}", fmt::join(settings, " ")));
    for (const Preset& preset : entry.presets)
      add("preset", fmt::format("--preset {}: {}", preset.name, preset.summary));
    add("expect", entry.expected);
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : "\n",
                    wrapped(paint(session.terminal, Style::bold, entry.name) + ": " + entry.summary,
                            session.terminal.width),
                    table.text(session.terminal.width, 2));
  }
  json ? print_json(document) : put("{}", text);
}

void list_ops(const Session& session, const Names& names, bool json) {
  Json document = Json::array();
  std::string text, family;
  int widest = 0;
  const std::vector<Op> some = named("op", names, ops());
  for (const Op& op : some) widest = std::max(widest, display_width(op.name));
  for (const Op& op : some) {
    document.push_back({{"name", op.name},
                        {"family", op.family},
                        {"formula", op.formula},
                        {"rule", op.gradient()},
                        {"call", op.signature()}});
    if (op.family != family) {
      text += (family.empty() ? "" : "\n") + paint(session.terminal, Style::bold, op.family) + '\n';
      family = op.family;
    }
    Table table({left, left});
    table.add({pad_right(op.name, widest), op.formula});
    table.add({"", op.gradients.empty() ? "no gradient" : op.gradient()});
    const bool own = has_named(session.registry.ops(), op.name);
    if (!names.empty()) table.add({"", op.signature()});
    if (!names.empty() && !own) table.add({"", fmt::format("docs/ops/{}.md", op.name)});
    text += table.text(session.terminal.width, 2);
  }
  json ? print_json(document) : put("{}", text);
}

void list_layers(const Session& session, const Names& names, bool json) {
  Json document = Json::array();
  Table table({left, left});
  for (const LayerEntry& entry : named("layer", names, session.registry.layers())) {
    document.push_back({{"name", entry.name}, {"summary", entry.summary}});
    table.add({entry.name, entry.summary});
  }
  json ? print_json(document) : put("{}", table.text(session.terminal.width));
}

void list_parts(const Session& session, const Names& names, bool json) {
  Json document = Json::array();
  std::string text;
  Names known;
  const std::vector<const PartList*> kinds = session.registry.kinds();
  for (const PartList* kind : kinds) known.emplace_back(kind->option());
  for (const std::string& name : names) require_known("kind of part", name, known);
  for (const PartList* kind : kinds) {
    if (!names.empty() && !contains(names, kind->option())) continue;
    const std::string option = fmt::format("--{}", kind->option());
    text += (text.empty() ? "" : "\n") + paint(session.terminal, Style::bold, option) + '\n';
    Table table({left, left});
    for (const auto& part : kind->all()) {
      const Names reads = part->all_read();
      document.push_back({{"kind", kind->option()},
                          {"name", part->name},
                          {"summary", part->summary},
                          {"reads", reads}});
      table.add({part->name, part->summary});
      if (!reads.empty()) table.add({"", fmt::format("reads --{}", fmt::join(reads, " --"))});
    }
    text += table.text(session.terminal.width, 2);
  }
  json ? print_json(document) : put("{}", text);
}

void add_list(const Command& app, Session& session, const char* name, const char* help,
              void (*list)(const Session&, const Names&, bool)) {
  const Command command = app.add(name, help);
  const auto json = std::make_shared<bool>(false);
  const auto names = std::make_shared<Names>();
  command.words("NAME", "", *names, "names to list, with details [all]");
  add_json(command, *json);
  command.on_run([=, &session] { list(session, *names, *json); });
}

}  // namespace

void add_list_commands(const Command& app, Session& session) {
  add_list(app, session, "tasks", "list the tasks", list_tasks);
  add_list(app, session, "ops", "list the ops, with formulas and gradients", list_ops);
  add_list(app, session, "layers", "list the layers", list_layers);
  add_list(app, session, "parts",
           "list the choices of --attention, --optimizer and similar options", list_parts);
}

}  // namespace tapehead
