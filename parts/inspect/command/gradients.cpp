#include "../../../cli/terminal/progress_line.hpp"
#include "../../../core/ops.hpp"
#include "../weight_gradients.hpp"
#include "experiment_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tapehead {
namespace {

/// Returns the Euclidean norms of x over some axes.
Tensor norms_of(const Tensor& x, const Axes& axes) {
  const Tensor wide = cast(x, DType::f64);
  return sqrt(sum(wide * wide, axes));
}

/// Formats positions and tokens for the tables.
struct Reader {
  const Readout readout;
  const Task& task;
  const ExperimentInput& read;

  std::string place(std::size_t i) const { return fmt::format("{} {}", i, read.tokens[i]); }
  std::string tokens(const Tensor& rows, std::size_t position) const {
    const auto i = static_cast<Index>(position);
    return rows ? top_tokens(task, readout.products(slice(rows, 0, i, i + 1))) : "";
  }
};

/// Returns the norm of each position's outer product of dy and x.
std::vector<double> parts_of(const WeightGradient& one) {
  return (norms_of(one.x, {-1}) * norms_of(one.dy, {-1})).values();
}

Document::Table table_of_tokens(const ExampleGradients& found, const Reader& reader) {
  const int decimals = decimals_for(found.costs);
  Document::Table table{"Tokens that the loss depends on",
                        {text_column("token"),
                         {"costs", Document::Column::Kind::number, decimals},
                         {"norm", Document::Column::Kind::number, decimals_for(found.norms)}},
                        {},
                        2};
  for (std::size_t i = 0; i < found.norms.size(); ++i)
    table.rows.push_back({reader.place(i), found.costs[i], found.norms[i]});
  return table;
}

/// Lists the weights, each with the position that contributes most to its gradient.
Document::Table table_of_weights(const ExampleGradients& found, const Reader& reader) {
  Document::Table table{"Gradients of weights",
                        {text_column("weight"),
                         {"norm"},
                         text_column("largest at"),
                         text_column("input"),
                         text_column("update")},
                        {},
                        1};
  std::vector<double> norms;
  for (const WeightGradient& one : found.weights) {
    const std::vector<double> parts = parts_of(one);
    const std::size_t most = std::max_element(parts.begin(), parts.end()) - parts.begin();
    norms.push_back(norms_of(one.gradient, {0, 1}).item());
    table.rows.push_back({one.name, norms.back(), reader.place(most),
                          reader.tokens(one.stream_input, most),
                          reader.tokens(one.stream_update, most)});
  }
  table.columns[1].decimals = decimals_for(norms);
  return table;
}

/// Lists the contribution of each position to one weight's gradient.
Document::Table table_of_weight(const ExampleGradients& found, const std::string& name,
                                const Reader& reader) {
  const auto& all = found.weights;
  const auto one = find_named(all, name);
  if (one == all.end())
    throw UsageError("--weight {}: use a name that inspect gradients lists, such as {}", name,
                     all.front().name);
  const std::vector<double> parts = parts_of(*one);
  Document::Table table{"Gradient of " + name,
                        {text_column("at"), {"norm"}, text_column("input"), text_column("update")},
                        {},
                        1};
  table.columns[1].decimals = decimals_for(parts);
  for (std::size_t i = 0; i < parts.size(); ++i)
    table.rows.push_back({reader.place(i), parts[i], reader.tokens(one->stream_input, i),
                          reader.tokens(one->stream_update, i)});
  return table;
}

Document norms_document(const LoadedRun& run, const InspectArguments& asked,
                        const Terminal& terminal) {
  ProgressLine line(terminal, "differentiating");
  const Index examples = asked.examples < 0 ? 1000 : asked.examples;
  const auto norms = gradient_norms(*run.model, *run.task, examples, std::ref(line));
  line.clear();
  Document::Table table{
      "Largest gradients", {text_column("example"), {"norm"}, {"loss"}, text_column("tokens")}, {}};
  const auto top = static_cast<std::size_t>(asked.top < 0 ? 10 : asked.top);
  for (std::size_t i = 0; i < std::min(top, norms.size()); ++i)
    table.rows.push_back({fmt::format("{}", norms[i].example), norms[i].norm, norms[i].loss,
                          run.task->show(held_out_example(*run.task, norms[i].example).tokens)});
  return {fmt::format("Gradient norms of examples · step {}", run.steps),
          {fmt::format("Over {}: maximum {:.4g}, median {:.4g}, "
                       "minimum {:.4g}.",
                       grouped(static_cast<long long>(norms.size()), "validation example"),
                       norms.front().norm, norms[norms.size() / 2].norm, norms.back().norm)},
          {},
          {table}};
}

}  // namespace

Document gradients_document(const LoadedRun& run, const InspectArguments& asked,
                            const Terminal& terminal) {
  if (asked.norms) return norms_document(run, asked, terminal);
  const GPT& model = require_residual_gpt(*run.model, "inspect gradients without --norms");
  const ExperimentInput read = experiment_input(run, asked, terminal);
  const ExampleGradients found = example_gradients(model, read.batch);
  const Reader reader{{model, "inspect gradients"}, *run.task, read};
  const double all = std::accumulate(found.costs.begin(), found.costs.end(), 0.0);
  return {
      fmt::format("Gradients of an example · step {}", run.steps),
      {read.note,
       fmt::format(
           "Loss {:.4g}, gradient norm {:.4g}. A token's costs are the first-order loss increase "
           "with the mean embedding in its place: {:.4g} in "
           "total.",
           found.loss, found.norm, all),
       "A gradient descent step makes a weight respond to its input with more of its update. "
       "The model's head translates both to tokens."},
      {},
      {table_of_tokens(found, reader), asked.weight.empty()
                                           ? table_of_weights(found, reader)
                                           : table_of_weight(found, asked.weight, reader)}};
}

}  // namespace tapehead
