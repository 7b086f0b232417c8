#include "../curvature.hpp"
#include "../../../cli/terminal/progress_line.hpp"
#include "../../../train/model/fine_tuning.hpp"
#include "experiment_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace tapehead {
namespace {

std::vector<Example> examples_asked(const LoadedRun& run, const InspectArguments& asked) {
  constexpr Index usual = 256;
  const Index count = asked.examples < 0 ? usual : asked.examples;
  if (asked.training) return first_training_examples(*run.task, run.config, count);
  return held_out_examples(*run.task, 0, count);
}

Document::Table table_of_parts(const Curvature& found) {
  Document::Table table{"By block",
                        {text_column("block"),
                         {"parameters", Document::Column::Kind::number, 0},
                         {"sharpness"},
                         {"trace"},
                         {"±"}},
                        {},
                        2};
  std::vector<double> sharpness, traces;
  for (const Curvature::BlockCurvature& part : found.parts) {
    sharpness.push_back(part.sharpness);
    traces.push_back(part.trace);
    table.rows.push_back(
        {part.name, static_cast<double>(part.parameters), part.sharpness, part.trace, part.error});
  }
  table.columns[2].decimals = decimals_for(sharpness);
  table.columns[3].decimals = table.columns[4].decimals = decimals_for(traces);
  return table;
}

Document::Table table_of_eigenvalues(const std::vector<double>& largest) {
  Document::Table table{"The largest eigenvalues",
                        {text_column("number"),
                         {"eigenvalue", Document::Column::Kind::number, decimals_for(largest)}},
                        {},
                        1};
  for (std::size_t i = 0; i < largest.size(); ++i)
    table.rows.push_back({fmt::format("{}", i + 1), largest[i]});
  return table;
}

}  // namespace

Document curvature_document(const LoadedRun& run, const InspectArguments& asked,
                            const Terminal& terminal) {
  if (asked.top == 0) throw UsageError("inspect curvature: --top must be at least 1, not 0");
  freeze(*run.model->module, run.config.freeze);
  const std::vector<Example> examples = examples_asked(run, asked);
  const LossHessian hessian(*run.model, examples, evaluation_batch_size(*run.task),
                            custom_loss(*run.model, *run.task));
  ProgressLine line(terminal, "computing second derivatives");
  const Curvature found = curvature(hessian, asked.top < 0 ? 5 : asked.top, std::ref(line));
  line.clear();
  const Eigenvalues& eigenvalues = found.eigenvalues;
  const double sharpness = eigenvalues.largest[0];
  std::vector<std::string> notes = {
      fmt::format("Second derivatives of the mean loss over {} with respect to {}{}.",
                  grouped(static_cast<long long>(examples.size()),
                          asked.training ? "training example" : "validation example"),
                  grouped(hessian.size(), "parameter"),
                  run.config.freeze.empty() ? "" : " that aren't frozen")};
  if (sharpness > 0)
    notes.push_back(
        fmt::format("Sharpness, the largest eigenvalue, is {:.4g}. Gradient descent "
                    "with a learning rate above 2 / {:.4g} = {:.4g} is unstable "
                    "here.",
                    sharpness, sharpness, 2 / sharpness));
  notes.push_back(fmt::format("The smallest eigenvalue is at most {:.4g}.", eigenvalues.smallest));
  return {fmt::format("Curvature · step {}", run.steps),
          std::move(notes),
          {},
          {table_of_parts(found), table_of_eigenvalues(eigenvalues.largest)}};
}

}  // namespace tapehead
