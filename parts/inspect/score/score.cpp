#include "score.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../train/runs/digest.hpp"
#include "methods.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace tapehead {
namespace {

using Column = Document::Column;
using Kind = Column::Kind;

Column text(const char* name) { return {name, Kind::text}; }
Column number(const std::string& name) { return {name, Kind::number, 0}; }
Column share(const std::string& name) { return {name, Kind::number, 2}; }

/// Columns of the table of methods; those from first_share on are averaged over runs.
constexpr std::size_t method_column = 0, first_share = 3, area_column = 5;

Document::Table table_of(const std::vector<MethodScore>& scores) {
  Document::Table table{"Methods",
                        {text("method"), number("true"), number("found"), share("precision"),
                         share("recall"), share("area"), share("recall all"), share("area all")},
                        {}};
  for (const MethodScore& each : scores) {
    const Detection& d = each.detection;
    table.rows.push_back({each.method, static_cast<double>(d.truths), static_cast<double>(d.found),
                          d.precision, d.recall, d.area, each.recall_of_all, each.area_of_all});
    if (!each.failure.empty())
      std::fill(table.rows.back().begin() + 1, table.rows.back().end(), std::nan(""));
  }
  return table;
}

double mean_without_nan(const std::vector<double>& values) {
  double sum = 0;
  Index count = 0;
  for (double value : values)
    if (!std::isnan(value)) sum += value, ++count;
  return sum / static_cast<double>(count);
}

Document::Table mean_table(const std::vector<Document>& documents) {
  const Document::Table& first = documents[0].tables[0];
  Document::Table means{"Methods: mean over runs", {first.columns[method_column]}, {}};
  for (std::size_t c = first_share; c < first.columns.size(); ++c)
    means.columns.push_back(first.columns[c]);
  for (std::size_t r = 0; r < first.rows.size(); ++r) {
    means.rows.push_back({first.rows[r][method_column]});
    for (std::size_t c = first_share; c < first.columns.size(); ++c) {
      std::vector<double> values;
      for (const Document& document : documents)
        values.push_back(std::get<double>(document.tables[0].rows[r][c]));
      means.rows.back().emplace_back(mean_without_nan(values));
    }
  }
  return means;
}

/// A method, and its short name as a column's title.
struct ShortName {
  const char *method, *column;
};

/// Returns each run's ROC areas for some methods: a column per method.
Document::Table area_table(const char* title, const std::vector<std::string>& runs,
                           const std::vector<Document>& documents,
                           const std::vector<ShortName>& methods) {
  Document::Table table{title, {text("run")}, {}};
  for (const ShortName& each : methods) table.columns.push_back(share(each.column));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    table.rows.push_back({runs[i]});
    for (const ShortName& each : methods)
      for (const auto& row : documents[i].tables[0].rows)
        if (std::get<std::string>(row[method_column]) == each.method)
          table.rows.back().push_back(row[area_column]);
  }
  return table;
}

/// Returns the names of the folders, or their paths if two have the same name.
std::vector<std::string> short_names(const std::vector<std::string>& runs) {
  std::vector<std::string> names;
  for (const std::string& run : runs) {
    const std::filesystem::path path = run;
    names.push_back((path.has_filename() ? path : path.parent_path()).filename().string());
  }
  return std::set<std::string>(names.begin(), names.end()).size() == names.size() ? names : runs;
}

}  // namespace

Document score_document(const LoadedRun& run, const InspectArguments& asked,
                        const Terminal& terminal) {
  const KnownCircuit known = read_known_circuit(asked.folder);
  const EdgeGraph graph(*run.model);
  const std::vector<bool> edges = is_known_edge(graph, known);
  const Index examples = asked.examples < 0 ? 100 : asked.examples;
  Document document;
  document.title = fmt::format("Scores against the known circuit · step {}", run.steps);
  document.notes = {
      fmt::format("Over {}. True: in the known circuit and, for edges, changed by the method's "
                  "replacement. All: every edge of the circuit. Area: under the ROC curve.",
                  grouped(std::min(examples, held_out_size(*run.task)), "validation example"))};
  if (run.steps > 0)
    document.notes.emplace_back(
        "The weights were trained further, so the circuit may no longer be the one in "
        "circuit.json.");
  std::vector<MethodScore> scores = score_components(run, graph, known, examples, terminal);
  for (MethodScore& each : score_edges(run, known, examples, terminal))
    scores.push_back(std::move(each));
  for (const MethodScore& each : scores)
    if (!each.failure.empty())
      document.notes.push_back(fmt::format("No scores of '{}': {}.", each.method, each.failure));
  const auto& nodes = graph.nodes;
  const auto is_component = [](const CircuitNode& node) {
    return node.kind == CircuitNode::Kind::head || node.kind == CircuitNode::Kind::mlp;
  };
  const auto is_true = [&](const CircuitNode& node) { return known.has(node.name()); };
  Document::Table model{"Model",
                        {text("weight hash"), number("heads and MLPs"), number("true"),
                         number("edges"), number("true edges")},
                        {}};
  model.rows.push_back(
      {digest(*run.model->module), static_cast<double>(count_if(nodes, is_component)),
       static_cast<double>(count_if(nodes, is_true)), static_cast<double>(edges.size()),
       static_cast<double>(std::count(edges.begin(), edges.end(), true))});
  document.tables = {table_of(scores), std::move(model)};
  return document;
}

Document join_scores(const std::vector<std::string>& folders,
                     const std::vector<Document>& documents) {
  const std::vector<std::string> runs = short_names(folders);
  Document joined;
  joined.title = fmt::format("Scores against the known circuits of {} runs", runs.size());
  joined.notes = {documents[0].notes[0]};
  Document::Table models = documents[0].tables[1];
  models.title = "Models";
  models.columns.insert(models.columns.begin(), text("run"));
  models.rows.clear();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& found = documents[i].tables[1].rows[0];
    models.rows.push_back({runs[i]});
    models.rows.back().insert(models.rows.back().end(), found.begin(), found.end());
  }
  joined.tables = {mean_table(documents),
                   area_table("ROC area: heads, MLPs, neurons, hook points", runs, documents,
                              {{"ablate, mean", "mean"},
                               {"ablate, zero", "zero"},
                               {"patch", "patch"},
                               {"heads", "heads"},
                               {"neurons", "neurons"},
                               {"probe", "probe"}}),
                   area_table("ROC area: edges", runs, documents,
                              {{"path, resample", "path"},
                               {"path, mean", "mean"},
                               {"path, zero", "zero"},
                               {"edges, gradient", "gradient"},
                               {"edges, integrated", "integr."},
                               {"circuit, resample", "acdc"},
                               {"circuit, zero", "acdc 0"},
                               {"circuit, attribution", "attr."}}),
                   std::move(models)};
  return joined;
}

}  // namespace tapehead
