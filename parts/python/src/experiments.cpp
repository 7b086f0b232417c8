// Experiments of `tapehead inspect` as Python objects.
#include "hooks.hpp"

#include "../../../cli/commands/load_run.hpp"
#include "../../../core/runtime/processors.hpp"
#include "../../../train/step/thread_scope.hpp"
#include "../../inspect/command/experiments.hpp"

namespace tapehead {
namespace {

/// Runs an experiment on all processors, like the command.
Document experiment(const char* name, Experiment find, const Run& run,
                    const InspectArguments& asked) {
  refuse_hooks(name, *run.model->module);
  return without_gil([&] {
    require_tokens(fmt::format("inspect {}", name), run);
    const ThreadScope threads(processors());
    const Pause pause;
    return find(run, asked, Terminal());
  });
}

Document ablate_run(const Run& run, Index examples, const std::string& by, const std::string& heads,
                    bool pairs, bool positions) {
  if (examples < 1) throw ValueError("ablate: examples must be at least 1, got {}", examples);
  InspectArguments asked;
  asked.examples = examples, asked.by = by, asked.heads = heads;
  asked.pairs = pairs, asked.positions = positions;
  return experiment("ablate", ablate_document, run, asked);
}

Document patch_run(const Run& run, const std::string& clean, const std::string& corrupted) {
  InspectArguments asked;
  asked.clean = clean, asked.corrupted = corrupted;
  return experiment("patch", patch_document, run, asked);
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
                    "clean, corrupted.")
      .def_property_readonly(
          "table",
          [](const Document& document) {
            return document.tables.empty() ? py::dict() : table_columns(document.tables[0]);
          },
          "The columns of the table, a dict of arrays; empty if there are only grids.")
      .def_readonly("grids", &Document::grids, "The grids as a list.")
      .def(
          "page", [](const Document& document) { return to_page(document); },
          "Returns the HTML page that `tapehead inspect` writes.")
      .def("__str__", [](const Document& document) { return to_text(document, Terminal()); });
  module.def("ablate", &ablate_run, "run"_a, "examples"_a, "by"_a, "heads"_a, "pairs"_a,
             "positions"_a, Computing());
  module.def("patch", &patch_run, "run"_a, "clean"_a, "corrupted"_a, Computing());
}

}  // namespace tapehead
