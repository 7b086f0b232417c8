// Experiments of `tapehead inspect` as Python objects.
#include "hooks.hpp"

#include "../../../cli/commands/load_run.hpp"
#include "../../../core/runtime/processors.hpp"
#include "../../../train/step/thread_scope.hpp"
#include "../../inspect/command/experiments.hpp"

#include <regex>

namespace tapehead {
namespace {

/// Rewrites an error of `tapehead inspect COMMAND` for Python: replaces the command by the method,
/// and options by arguments that have other names.
std::string as_method_error(std::string text, const std::string& command,
                            const std::string& method) {
  const std::pair<std::string, std::string> names[] = {
      {"inspect " + command + "\\b", method}, {"--from\\b", "--writer"}, {"--to\\b", "--reader"}};
  for (const auto& [name, in_python] : names)
    text = std::regex_replace(text, std::regex(name), in_python);
  return text;
}

/// Runs an experiment on all processors, like the command.
Document experiment(const char* command, const char* method, Experiment find, const Run& run,
                    const InspectArguments& asked) {
  refuse_hooks(method, *run.model->module);
  return without_gil([&] {
    require_tokens(method, run);
    const ThreadScope threads(processors());
    const Pause pause;
    try {
      return find(run, asked, Terminal());
    } catch (const UsageError& error) {
      throw UsageError("{}", as_method_error(error.what(), command, method));
    }
  });
}

Document ablate_run(const Run& run, Index examples, const std::string& by, const std::string& heads,
                    bool pairs, bool positions) {
  if (examples < 1) throw ValueError("ablate: examples must be at least 1, got {}", examples);
  InspectArguments asked;
  asked.examples = examples, asked.by = by, asked.heads = heads;
  asked.pairs = pairs, asked.positions = positions;
  return experiment("ablate", "ablate", ablate_document, run, asked);
}

Document patch_run(const Run& run, const std::string& clean, const std::string& corrupted) {
  InspectArguments asked;
  asked.clean = clean, asked.corrupted = corrupted;
  return experiment("patch", "patch", patch_document, run, asked);
}

/// Sets the options that path, edges and circuit share.
InspectArguments edge_arguments(const std::string& clean, const std::string& corrupted,
                                std::optional<Index> examples, const std::string& by,
                                const std::string& metric, Index top) {
  if (examples && *examples < 1) throw ValueError("examples must be at least 1, got {}", *examples);
  if (top < 0) throw ValueError("top must be at least 0, got {}", top);
  InspectArguments asked;
  asked.clean = clean, asked.corrupted = corrupted;
  asked.examples = examples.value_or(-1);
  asked.by = by, asked.metric = metric, asked.top = top;
  return asked;
}

Document path_patch_run(const Run& run, const std::string& from, const std::string& to,
                        const std::string& clean, const std::string& corrupted,
                        std::optional<Index> examples, const std::string& by,
                        const std::string& metric, Index top) {
  InspectArguments asked = edge_arguments(clean, corrupted, examples, by, metric, top);
  asked.from = from, asked.to = to;
  return experiment("path", "path_patch", path_document, run, asked);
}

Document edge_attribution_run(const Run& run, const std::string& clean,
                              const std::string& corrupted, std::optional<Index> examples,
                              const std::string& by, const std::string& metric, Index steps,
                              Index top) {
  if (steps < 0) throw ValueError("edge_attribution: steps must be at least 0, got {}", steps);
  InspectArguments asked = edge_arguments(clean, corrupted, examples, by, metric, top);
  asked.steps = steps;
  return experiment("edges", "edge_attribution", edges_document, run, asked);
}

Document circuit_run(const Run& run, const std::string& clean, const std::string& corrupted,
                     std::optional<Index> examples, const std::string& by,
                     const std::string& metric, const std::string& method, double threshold,
                     std::optional<Index> steps, Index top) {
  InspectArguments asked = edge_arguments(clean, corrupted, examples, by, metric, top);
  asked.method = method, asked.threshold = threshold, asked.steps = steps.value_or(-1);
  return experiment("circuit", "circuit", circuit_document, run, asked);
}

Document probe_run(const Run& run, const std::string& property, const std::string& at,
                   Index examples) {
  if (examples < 1) throw ValueError("probe: examples must be at least 1, got {}", examples);
  InspectArguments asked;
  asked.property = property, asked.at = at, asked.examples = examples;
  return experiment("probe", "probe", probe_document, run, asked);
}

Document score_run(const Run& run, Index examples) {
  if (examples < 1) throw ValueError("score: examples must be at least 1, got {}", examples);
  InspectArguments asked;
  asked.folder = run.path, asked.examples = examples;
  return experiment("score", "score", score_document, run, asked);
}

/// Returns an array of the numbers or texts in a column of a table.
py::object table_column(const Document::Table& table, std::size_t number) {
  py::list all;
  for (const auto& row : table.rows) all.append(row[number]);
  return py::module_::import("numpy").attr("array")(all);
}

py::dict table_columns(const Document::Table& table) {
  py::dict all;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    all[py::str(table.columns[i].name)] = table_column(table, i);
  return all;
}

/// Returns the edges of a document's graph by column; empty without a graph.
py::dict graph_edges(const Document& document) {
  py::dict all;
  if (document.graphs.empty()) return all;
  py::list from, to, input, score;
  for (const auto& edge : document.graphs[0].edges)
    from.append(edge.from), to.append(edge.to), input.append(edge.input), score.append(edge.score);
  const py::object array = py::module_::import("numpy").attr("array");
  all["from"] = array(from), all["to"] = array(to), all["input"] = array(input);
  all["score"] = array(score);
  return all;
}

py::array grid_values(const Document::Grid& grid) {
  return py::array_t<double>(std::vector{grid.rows.size(), grid.columns.size()},
                             grid.values.data());
}

}  // namespace

void bind_experiments(py::module_& module) {
  py::class_<Document::Grid>(module, "Grid",
                             "A table of numbers, with a label for each row and column.")
      .def_readonly("title", &Document::Grid::title, "The quantity.")
      .def_readonly("rows", &Document::Grid::rows, "The labels of the rows, such as block 0.")
      .def_readonly("columns", &Document::Grid::columns,
                    "The labels of the columns, which are positions.")
      .def_property_readonly("values", &grid_values, "The numbers, an array (rows, columns).")
      .def_property_readonly("strongest", &Document::Grid::strongest,
                             "The number with the strongest colour.");
  py::class_<Document>(module, "Experiment",
                       "The result of an experiment of `tapehead inspect`: str() gives its text, "
                       "notebooks show its page.")
      .def_readonly("title", &Document::title, "The name of the experiment.")
      .def_readonly("notes", &Document::notes, "Sentences about the experiment.")
      .def_readonly("numbers", &Document::numbers,
                    "The exact numbers in the notes, a dict: loss, examples, exact match; or "
                    "clean, corrupted; or whole, none, faithfulness and so on.")
      .def_property_readonly(
          "table",
          [](const Document& document) {
            return document.tables.empty() ? py::dict() : table_columns(document.tables[0]);
          },
          "The columns of the table, a dict of arrays; empty if there are only grids.")
      .def_property_readonly("edges", &graph_edges,
                             "The edges of the graph, a dict of arrays: from, to, input, score; "
                             "empty if there is no graph.")
      .def_readonly("grids", &Document::grids, "The grids as a list.")
      .def(
          "page", [](const Document& document) { return to_page(document); },
          "Returns the HTML page that `tapehead inspect` writes.")
      .def("__str__", [](const Document& document) { return to_text(document, Terminal()); });
  module.def("ablate", &ablate_run, "run"_a, "examples"_a, "by"_a, "heads"_a, "pairs"_a,
             "positions"_a, Computing());
  module.def("patch", &patch_run, "run"_a, "clean"_a, "corrupted"_a, Computing());
  module.def("path_patch", &path_patch_run, "run"_a, "writer"_a, "reader"_a, "clean"_a,
             "corrupted"_a, "examples"_a, "by"_a, "metric"_a, "top"_a, Computing());
  module.def("edge_attribution", &edge_attribution_run, "run"_a, "clean"_a, "corrupted"_a,
             "examples"_a, "by"_a, "metric"_a, "steps"_a, "top"_a, Computing());
  module.def("score", &score_run, "run"_a, "examples"_a, Computing());
  module.def("circuit", &circuit_run, "run"_a, "clean"_a, "corrupted"_a, "examples"_a, "by"_a,
             "metric"_a, "method"_a, "threshold"_a, "steps"_a, "top"_a, Computing());
  module.def("probe", &probe_run, "run"_a, "property"_a, "at"_a, "examples"_a, Computing());
}

}  // namespace tapehead
