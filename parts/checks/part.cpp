#include "../../cli/commands/commands.hpp"
#include "../../cli/commands/named.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../cli/terminal/progress_line.hpp"
#include "check.hpp"
#include "check_module.hpp"
#include "layers.hpp"
#include "step_curves.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

/// The output of gradcheck for one op or layer.
struct Line {
  std::string name, kind;
  std::vector<std::string> compared;  ///< number of comparisons: "12 gradients", "12 second"
  double error = 0;                   ///< largest relative error
  bool passed = true;
  std::string worst;  ///< describes the worst comparison
  std::string note;   ///< properties that weren't checked, and why; or the ranges of the samples
};

void count(Line& line, Index n, const char* what, const char* plural = "s") {
  if (n > 0) line.compared.push_back(fmt::format("{} {}{}", n, what, n == 1 ? "" : plural));
}

Line line_of(const CheckReport& report, const char* kind) {
  Line line{report.name, kind, {}, 0, report.passed(), "", ""};
  for (const Check& each : report.checks) line.error = std::max(line.error, each.result.error);
  if (!report.checks.empty()) line.worst = to_string(report.worst());
  return line;
}

/// Returns the op's registration if a program registered it; null for a built-in op.
const OpEntry* custom_op(const Op& op, const Registry& registry) {
  const auto own = find_named(registry.ops(), op.name);
  return own == registry.ops().end() ? nullptr : &*own;
}

std::vector<OpSample> samples_for(const Op& op, const Registry& registry) {
  const OpEntry* const own = custom_op(op, registry);
  if (!own) return samples_of(op.name);
  std::vector<OpSample> all;
  for (const std::vector<Tensor>& tensors : own->samples) all.push_back({"", tensors});
  return all;
}

/// Describes the ranges of a custom op's samples, as in `samples: x (4) from -2 to 1.7`. Its
/// backward function may be wrong elsewhere.
std::string sample_ranges(const Op& op, const Registry& registry) {
  const OpEntry* const own = custom_op(op, registry);
  std::vector<std::string> inputs;
  for (std::size_t i = 0; own && i < op.tensors(); ++i) {
    std::vector<std::string> shapes;
    double low = infinity, high = -infinity;
    for (const std::vector<Tensor>& sample : own->samples) {
      if (i >= sample.size() || !sample[i]) continue;
      if (const std::string shape = fmt::format("{}", sample[i].shape()); !contains(shapes, shape))
        shapes.push_back(shape);
      for (const double v : sample[i].values()) low = std::min(low, v), high = std::max(high, v);
    }
    if (low <= high)
      inputs.push_back(fmt::format("{} {} from {:.3g} to {:.3g}", op.arguments[i].name,
                                   fmt::join(shapes, ", "), low, high));
  }
  return inputs.empty() ? "" : fmt::format("samples: {}", fmt::join(inputs, "; "));
}

Line check_op(const Op& op, const Registry& registry) {
  const CheckReport report = check(op, samples_for(op, registry));
  Line line = line_of(report, "op");
  std::map<Check::Kind, Index> kinds;
  for (const Check& each : report.checks) ++kinds[each.kind];
  count(line, kinds[Check::Kind::gradient], "gradient");
  count(line, kinds[Check::Kind::second], "second", "");
  count(line, kinds[Check::Kind::decomposition_value], "decomposition");
  line.note = sample_ranges(op, registry);
  return line;
}

Line check_entry(const LayerEntry& entry) {
  Line line = line_of(check_layer(entry), "layer");
  const std::unique_ptr<Module> layer = entry.make();
  count(line, count_parameters(*layer), "parameter");
  if (entry.input.is_float()) line.compared.emplace_back("its input");
  if (entry.first_only.empty())
    line.compared.emplace_back("second");
  else
    line.note = "no second gradient: " + entry.first_only;
  if (entry.input.rank() > 1 && entry.input.dim(0) == 1)
    line.note += fmt::format("{}its input {} has one row, so sums over rows aren't checked",
                             line.note.empty() ? "" : "; ", entry.input.shape());
  return line;
}

Json to_json(const Line& line) {
  return {{"name", line.name},   {"kind", line.kind},     {"compared", line.compared},
          {"error", line.error}, {"passed", line.passed}, {"worst", line.worst},
          {"note", line.note}};
}

void print_line(const Line& line, int widest, const Terminal& terminal) {
  if (line.compared.empty()) {
    const Op* const op = find_op(line.name);
    put("{}  {}\n", pad_right(line.name, widest),
        op && !op->gradients.empty() ? "no samples, so its gradient isn't checked" : "no gradient");
    return;
  }
  const std::string what = fmt::format("{}", fmt::join(line.compared, ", "));
  const std::string error = fmt::format("{:.0e}", line.error);
  const std::string verdict =
      line.passed ? paint(terminal, Style::good, "ok") : paint(terminal, Style::bad, "FAILED");
  constexpr int figures = 34;  // width of the list of comparisons
  const bool fits = widest + 2 + figures + 2 + 5 + 2 + 6 <= terminal.width;
  if (fits)
    put("{}  {}  {:>5}  {}\n", pad_right(line.name, widest), pad_right(what, figures), error,
        verdict);
  else
    put("{}", wrapped(terminal.width, "{}: {}, {}, {}", line.name, what, error, verdict));
  for (const std::string& text : {line.passed ? "" : line.worst, line.note}) {
    if (!text.empty()) put("{}", wrapped(text, terminal.width, 2));
  }
  flush_output();
}

/// The ops and layers to check, in table order. Without names, all.
struct Selection {
  std::vector<const Op*> ops;
  std::vector<LayerEntry> layers;
  int widest = 0;
};

Selection select(const std::vector<std::string>& names, const Registry& registry) {
  std::vector<std::string> known = names_of(ops());
  const std::vector<LayerEntry> layers = layers_and_models(registry, names);
  for (const LayerEntry& entry : layers) known.push_back(entry.name);
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    if (!nearest(name, known).empty()) refuse_unknown("op or layer", name, known);
    throw UsageError("unknown op or layer '{}'; tapehead ops and tapehead layers list them", name);
  }
  const auto wanted = [&](const std::string& name) {
    return names.empty() || contains(names, name);
  };
  Selection selection;
  const auto add = [&](auto& list, const std::string& name, const auto& entry) {
    if (!wanted(name)) return;
    list.push_back(entry);
    selection.widest = std::max(selection.widest, display_width(name));
  };
  for (const Op& op : ops()) add(selection.ops, op.name, &op);
  for (const LayerEntry& entry : layers) add(selection.layers, entry.name, entry);
  return selection;
}

void check_gradients(const std::vector<std::string>& names, bool json, Session& session) {
  const Selection selection = select(names, session.registry);
  auto document = Json::array();
  const auto all = static_cast<double>(selection.ops.size() + selection.layers.size());
  Terminal terminal = session.terminal;
  terminal.live = terminal.live && !json;
  ProgressLine progress(terminal, "checking gradients");
  Index done = 0, total = 0, failures = 0;
  const auto report = [&](const Line& line) {
    progress.clear();
    if (!line.compared.empty()) ++total;
    if (!line.passed) ++failures;
    json ? document.push_back(to_json(line)) : print_line(line, selection.widest, terminal);
    progress(static_cast<double>(++done) / all);
  };
  for (const Op* op : selection.ops) report(check_op(*op, session.registry));
  for (const LayerEntry& entry : selection.layers) report(check_entry(entry));
  progress.clear();
  session.status = failures > 0 ? 1 : 0;
  if (json) return print_json({{"passed", failures == 0}, {"checks", document}});
  if (total > 1 && failures == 0) put("all {} agree with finite differences\n", total);
  if (failures > 0) put("{} of {} FAILED\n", failures, total);
}

void draw_steps(const std::vector<std::string>& names, bool json, const Session& session) {
  if (names.size() != 1)
    throw UsageError("--steps needs one op or layer, as in gradcheck exp --steps");
  const Selection selection = select(names, session.registry);
  const StepCurves curves =
      selection.ops.empty()
          ? step_curves_of_layer(selection.layers[0])
          : step_curves_of_op(*selection.ops[0], samples_for(*selection.ops[0], session.registry));
  json ? print_json(to_json(curves)) : put("{}", step_text(curves, session.terminal.width));
}

void add_gradcheck_command(const Command& app, Session& session) {
  const Command command = app.add("gradcheck", "check gradients against finite differences");
  struct Arguments {
    std::vector<std::string> names;
    bool steps = false, json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  command.words("NAME", "", arguments->names, "ops, layers and architectures [all ops and layers]");
  command.flag("--steps", arguments->steps,
               "plot of the error over the step size of the finite differences, for one NAME");
  add_json(command, arguments->json);
  command.on_run([=, &session] {
    const auto& [names, steps, json] = *arguments;
    steps ? draw_steps(names, json, session) : check_gradients(names, json, session);
  });
}

// ---- check

Json to_json(const ModuleReport& report) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings)
    findings.push_back({{"kind", to_string(finding.kind)}, {"text", finding.text}});
  return {{"name", report.name},
          {"passed", report.findings.empty()},
          {"findings", findings},
          {"notes", report.notes}};
}

/// Adds one row with name, verdict and notes if there are no findings, else one row per finding.
void add_rows(Table& table, const ModuleReport& report, const Terminal& terminal) {
  if (report.findings.empty())
    table.add({report.name, paint(terminal, Style::good, "ok"),
               fmt::format("{}", fmt::join(report.notes, ", "))});
  std::string name = report.name;
  for (const Finding& finding : report.findings)
    table.add({std::exchange(name, ""), paint(terminal, Style::bad, to_string(finding.kind)),
               finding.text});
}

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

void add_check_command(const Command& app, Session& session) {
  const Command command = app.add("check", "check layers for common mistakes");
  struct Arguments {
    Names names;
    bool json = false;
  };
  const auto a = std::make_shared<Arguments>();
  command.words("LAYER", "", a->names, "layers or architectures [all layers]");
  add_json(command, a->json);
  command.footer(
      "Finds parameters that visit doesn't list, lists twice, or that nothing uses; results that "
      "have the wrong shape, or depend on later positions or on other rows of the batch; missing "
      "gradients; and differences between f32 and f64, training and evaluation, or two calls.");
  command.on_run([=, &session] { check_layers(a->names, a->json, session); });
}

}  // namespace

void add_checks(Registry& registry) {
  for (LayerEntry& entry : layer_catalog()) registry.layer(std::move(entry));
  registry.extend(CommandEntry{"gradcheck", add_gradcheck_command}.in("Check"));
  registry.extend(CommandEntry{"check", add_check_command}.in("Check"));
}

}  // namespace tapehead
