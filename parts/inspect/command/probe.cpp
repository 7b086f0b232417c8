#include "../../../cli/terminal/progress_line.hpp"
#include "../../../core/ops.hpp"
#include "../../../train/config/options.hpp"
#include "../probes.hpp"
#include "experiment_input.hpp"

#include <fmt/format.h>

#include <functional>

namespace tapehead {
namespace {

struct Property {
  const char *name, *description;
  ProbeLabels labels;
};

/// Returns the targets in the shape of the inputs; a single target labels every position.
Tensor target_labels(const Batch& batch) {
  if (batch.targets.rank() == 2) return batch.targets;
  return broadcast_to(reshape(batch.targets, {batch.targets.dim(0), 1}), batch.inputs.shape());
}

Tensor previous_labels(const Batch& batch) {
  const Tensor& x = batch.inputs;
  return concat({full({x.dim(0), 1}, -1, x.dtype()), slice(x, 1, 0, x.dim(1) - 1)}, 1);
}

Tensor position_labels(const Batch& batch) {
  return broadcast_to(arange(batch.inputs.dim(1)), batch.inputs.shape());
}

const std::vector<Property> properties = {
    {"target", "the target at the position", target_labels},
    {"token", "the token at the position", [](const Batch& batch) { return batch.inputs; }},
    {"previous", "the token before the position", previous_labels},
    {"position", "the number of the position", position_labels},
};

}  // namespace

Document probe_document(const LoadedRun& run, const InspectArguments& asked,
                        const Terminal& terminal) {
  const Property& property =
      require_named("--property", asked.property.empty() ? "target" : asked.property, properties);
  std::vector<std::string> points = probe_points(*run.model, *run.task);
  if (!asked.at.empty()) {
    require_known("--at", asked.at, points);
    points = {asked.at};
  }
  ProgressLine line(terminal, "probing");
  const Probes found = probe(*run.model, *run.task, points, property.labels,
                             asked.examples < 0 ? 1000 : asked.examples, std::ref(line));
  line.clear();
  Document document;
  document.title = fmt::format("Linear probes · step {}", run.steps);
  document.notes = {
      fmt::format("Predicting {}, one of {} classes. Fitted on {}, measured at {} of as many "
                  "others; always guessing the most frequent class gets {}.",
                  property.description, found.classes, grouped(found.examples, "example"),
                  grouped(found.positions, "position"), percent(found.majority)),
      fmt::format("Control: a random label for each of {} pairs of a token and a position. "
                  "Selectivity: accuracy minus control.",
                  found.pairs)};
  if (found.pairs < found.classes)
    document.notes.emplace_back("There are too few pairs for a control.");
  Document::Table table{"Accuracy at each hook point",
                        {text_column("point"),
                         {"accuracy", Document::Column::Kind::share},
                         {"control", Document::Column::Kind::share},
                         {"selectivity", Document::Column::Kind::share}},
                        {},
                        1};
  for (const ProbeResult& each : found.points)
    table.rows.push_back({each.point, each.accuracy, each.control, each.selectivity()});
  document.tables = {table};
  document.numbers = {{"examples", static_cast<double>(found.examples)},
                      {"positions", static_cast<double>(found.positions)},
                      {"classes", static_cast<double>(found.classes)},
                      {"majority", found.majority}};
  return document;
}

}  // namespace tapehead
