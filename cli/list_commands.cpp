#include <tapehead/cli/commands.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tapehead {
namespace {

using Json = nlohmann::ordered_json;
constexpr auto left = Table::Align::left;

void list_tasks(const Session& session, bool json) {
  Json document = Json::array();
  Table table({left, left});
  for (const TaskEntry& entry : session.registry.tasks()) {
    Json options = Json::array();
    for (const TaskOption& option : entry.options)
      options.push_back({{"name", option.name}, {"help", option.help}, {"default", option.value}});
    document.push_back({{"name", entry.name},
                        {"summary", entry.summary},
                        {"teaches", entry.teaches},
                        {"expected", entry.expected},
                        {"arch", entry.recipe.arch},
                        {"architectures", entry.architectures},
                        {"options", options}});
    table.add({paint(session.terminal, Style::bold, entry.name), entry.summary});
    table.add({"", fmt::format("models: {}", fmt::join(entry.architectures, ", "))});
    if (!entry.teaches.empty()) table.add({"", "teaches: " + entry.teaches});
    if (!entry.expected.empty()) table.add({"", "expect: " + entry.expected});
  }
  json ? print_json(document) : fmt::print("{}", table.text(session.terminal.width));
}

void list_ops(const Session& session, bool json) {
  Json document = Json::array();
  std::string text, family;
  int widest = 0;
  for (const OpRow& row : op_catalog()) widest = std::max(widest, display_width(row.name));
  for (const OpRow& row : op_catalog()) {
    document.push_back(
        {{"name", row.name}, {"family", row.family}, {"formula", row.formula}, {"rule", row.rule}});
    if (row.family != family) {
      text +=
          (family.empty() ? "" : "\n") + paint(session.terminal, Style::bold, row.family) + '\n';
      family = row.family;
    }
    Table table({left, left});
    table.add({pad_right(row.name, widest), row.formula});
    table.add({"", row.rule.empty() ? "no gradient" : row.rule});
    text += table.text(session.terminal.width, 2);
  }
  json ? print_json(document) : fmt::print("{}", text);
}

void list_layers(const Session& session, bool json) {
  Json document = Json::array();
  Table table({left, left});
  for (const LayerEntry& entry : session.registry.layers()) {
    document.push_back({{"name", entry.name}, {"summary", entry.summary}});
    table.add({entry.name, entry.summary});
  }
  json ? print_json(document) : fmt::print("{}", table.text(session.terminal.width));
}

void add_list(CLI::App& app, Session& session, const char* name, const char* help,
              void (*list)(const Session&, bool)) {
  CLI::App* command = app.add_subcommand(name, help);
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print one JSON document, and nothing else");
  command->callback([=, &session] { list(session, *json); });
}

}  // namespace

void add_list_commands(CLI::App& app, Session& session) {
  add_list(app, session, "tasks", "list what a model can be trained on", list_tasks);
  add_list(app, session, "ops", "list all ops, with formulas and gradients", list_ops);
  add_list(app, session, "layers", "list all layers", list_layers);
}

}  // namespace tapehead
