#include "../../core/ops.hpp"
#include "../../train/inspect/weight_gradients.hpp"
#include "../terminal/answer.hpp"
#include "../terminal/progress_line.hpp"
#include "example_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tapehead {
namespace {

using Column = Document::Column;

/// The norm of each position's part of a gradient: of an outer product.
std::vector<double> parts_of(const WeightGradient& one) {
  const auto squares = [](const Tensor& x) {
    const Tensor wide = cast(x, DType::f64);
    return sum(wide * wide, {-1});
  };
  return sqrt(squares(one.x) * squares(one.dy)).values();
}

double norm_of(const Tensor& x) {
  const Tensor wide = cast(x, DType::f64);
  return std::sqrt(sum(wide * wide).item());
}

/// Reads what came and what is sent at a position in tokens.
struct Reader {
  Reader(const GPT& model, const Task& task_) : readout(model, "inspect gradients"), task(task_) {}
  std::string operator()(const Tensor& rows, std::size_t position) const {
    if (!rows) return "";
    const auto i = static_cast<Index>(position);
    return highest_tokens(task, readout.products(slice(rows, 0, i, i + 1)));
  }
  Readout readout;
  const Task& task;
};

std::string place(const ExampleRead& read, std::size_t i) {
  return fmt::format("{} {}", i, read.tokens[i]);
}

Document::Table table_of_tokens(const ExampleGradients& found, const ExampleRead& read) {
  Document::Table table{"What the loss depends on",
                        {{"token", Column::Kind::text}, {"gradient x embedding"}, {"norm"}},
                        {},
                        2};
  for (std::size_t i = 0; i < read.tokens.size(); ++i)
    table.rows.push_back({place(read, i), found.products[i], found.norms[i]});
  return table;
}

/// Each weight where its gradient is largest.
Document::Table table_of_weights(const ExampleGradients& found, const ExampleRead& read,
                                 const Reader& tokens) {
  Document::Table table{"Gradients of weights",
                        {{"weight", Column::Kind::text},
                         {"norm"},
                         {"most at", Column::Kind::text},
                         {"came", Column::Kind::text},
                         {"is sent", Column::Kind::text}},
                        {},
                        1};
  for (const WeightGradient& one : found.weights) {
    const std::vector<double> parts = parts_of(one);
    const std::size_t most = std::max_element(parts.begin(), parts.end()) - parts.begin();
    table.rows.push_back({one.name, norm_of(one.gradient), place(read, most),
                          tokens(one.came, most), tokens(one.sent, most)});
  }
  return table;
}

/// One weight at each position.
Document::Table table_of_weight(const WeightGradient& one, const ExampleRead& read,
                                const Reader& tokens) {
  Document::Table table{"Gradient of " + one.name,
                        {{"at", Column::Kind::text},
                         {"norm"},
                         {"came", Column::Kind::text},
                         {"is sent", Column::Kind::text}},
                        {},
                        1};
  const std::vector<double> parts = parts_of(one);
  for (std::size_t i = 0; i < parts.size(); ++i)
    table.rows.push_back({place(read, i), parts[i], tokens(one.came, i), tokens(one.sent, i)});
  return table;
}

const WeightGradient& find(const ExampleGradients& found, const std::string& name) {
  std::string all;
  for (const WeightGradient& one : found.weights) {
    if (one.name == name) return one;
    all += (all.empty() ? "" : ", ") + one.name;
  }
  throw UsageError("--weight {}: known are {}", name, all);
}

Document norms_document(const LoadedRun& run, const InspectArguments& asked,
                        const Terminal& terminal) {
  ProgressLine line(terminal, "differentiating");
  const Index examples = asked.examples < 0 ? 1000 : asked.examples;
  const auto norms = gradient_norms(*run.model, *run.task, examples, std::ref(line));
  line.clear();
  const double total = std::accumulate(norms.begin(), norms.end(), 0.0,
                                       [](double sum, const auto& one) { return sum + one.norm; });
  Document document;
  document.title = fmt::format("Gradient norms of examples · step {}", run.steps);
  document.notes = {
      fmt::format("Of {} held-out examples, each by itself: mean {:.4g}, median {:.4g}.",
                  grouped(static_cast<long long>(norms.size())),
                  total / static_cast<double>(norms.size()), norms[norms.size() / 2].norm)};
  Document::Table table{
      "The largest",
      {{"example", Column::Kind::text}, {"norm"}, {"loss"}, {"tokens", Column::Kind::text}},
      {}};
  const auto top = static_cast<std::size_t>(asked.top < 0 ? 10 : asked.top);
  for (std::size_t i = 0; i < std::min(top, norms.size()); ++i)
    table.rows.push_back({fmt::format("{}", norms[i].example), norms[i].norm, norms[i].loss,
                          run.task->show(run.task->held_out_example(norms[i].example).tokens)});
  document.tables = {table};
  return document;
}

}  // namespace

Document gradients_document(const LoadedRun& run, const InspectArguments& asked,
                            const Terminal& terminal) {
  if (asked.norms) return norms_document(run, asked, terminal);
  const GPT& model = streaming_gpt(*run.model, "inspect gradients without --norms");
  const ExampleRead read = example_read(run, asked, terminal);
  const ExampleGradients found = example_gradients(model, read.batch);
  const Reader tokens(model, *run.task);
  Document document;
  document.title = fmt::format("Gradients of an example · step {}", run.steps);
  document.notes = {
      read.note,
      fmt::format(
          "Loss {:.4g}, norm of its gradient {:.4g}; the products of gradient and embedding "
          "sum to {:.4g}.",
          found.loss, found.norm,
          std::accumulate(found.products.begin(), found.products.end(), 0.0)),
      "A step of descent makes a weight answer what came with more of what is sent, both read by "
      "the model's head."};
  document.tables = {table_of_tokens(found, read)};
  document.tables.push_back(asked.weight.empty()
                                ? table_of_weights(found, read, tokens)
                                : table_of_weight(find(found, asked.weight), read, tokens));
  return document;
}

}  // namespace tapehead
