#include "../../train/model/as_layer.hpp"
#include "../checks/findings.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress_line.hpp"
#include "commands.hpp"
#include "named.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

void check_layers(const Names& names, bool json, Session& session) {
  const std::vector<LayerEntry> entries =
      named("layer", names, layers_and_models(session.registry, names));
  Json document = Json::array();
  Table table({Table::Align::left, Table::Align::left, Table::Align::left});
  Terminal terminal = session.terminal;
  terminal.live = terminal.live && !json;
  ProgressLine progress(terminal, "checking layers");
  std::size_t done = 0, faulty = 0;
  for (const LayerEntry& entry : entries) {
    const ModuleReport report = check_module(entry);
    if (!report.findings.empty()) ++faulty;
    document.push_back(to_json(report));
    add_rows(table, report, terminal);
    progress(static_cast<double>(++done) / static_cast<double>(entries.size()));
  }
  progress.clear();
  session.status = faulty > 0 ? 1 : 0;
  if (json) return print_json({{"passed", faulty == 0}, {"layers", document}});
  put("{}", table.text(terminal.width));
  if (faulty > 0 || done > 1)
    put("findings in {} of {}\n", faulty > 0 ? fmt::format("{}", faulty) : "none",
        plural(done, "layer"));
}

}  // namespace

void add_check_command(const Command& app, Session& session) {
  const Command command = app.add("check", "look for what goes wrong with layers");
  struct Arguments {
    Names names;
    bool json = false;
  };
  const auto a = std::make_shared<Arguments>();
  command.words("LAYER", "", a->names, "layers, or kinds of model; default: all layers");
  add_json(command, a->json);
  command.footer(
      "Looks for parameters that visit doesn't list, lists twice, or that nothing uses; results "
      "of another shape, that see the future or the batch's other rows; missing gradients; and "
      "what differs between f32 and f64, training and evaluation, or two calls.");
  command.on_run([=, &session] { check_layers(a->names, a->json, session); });
}

}  // namespace tapehead
