#include "../../train/inspect/neurons.hpp"
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

/// The token with the highest mean; -1 if none was read.
int favourite(const std::vector<double>& means) {
  int best = -1;
  for (std::size_t token = 0; token < means.size(); ++token)
    if (!std::isnan(means[token]) &&
        (best < 0 || means[token] > means[static_cast<std::size_t>(best)]))
      best = static_cast<int>(token);
  return best;
}

std::string context_of(const Task& task, const NeuronPlace& place) {
  return in_context(task, task.held_out_example(place.example).tokens, place.position);
}

/// Those that vary most come first.
Document::Table table_of_all(const Neurons& found, const Task& task, std::size_t top) {
  Document::Table table{"Neurons, by how much they vary",
                        {{"neuron", Column::Kind::text},
                         {"deviation"},
                         {"mean"},
                         {"above 0", Column::Kind::share},
                         {"highest"},
                         {"token", Column::Kind::text},
                         {"where it is highest", Column::Kind::text}},
                        {}};
  for (Column& column : table.columns) column.decimals = 3;
  std::vector<std::size_t> order(found.neurons.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return found.neurons[a].deviation > found.neurons[b].deviation;
  });
  order.resize(std::min(order.size(), top));
  for (std::size_t i : order) {
    const Neurons::Neuron& neuron = found.neurons[i];
    table.rows.push_back({fmt::format("{}", i), neuron.deviation, neuron.mean, neuron.active,
                          neuron.highest[0].value, token_name(task, favourite(neuron.means)),
                          context_of(task, neuron.highest[0])});
  }
  return table;
}

/// Where one neuron is highest, and its mean by token.
std::vector<Document::Table> tables_of_one(const Neurons& found, const Task& task,
                                           std::size_t top) {
  const Neurons::Neuron& neuron = found.neurons[0];
  Document::Table places{
      "Where it is highest, in the examples that move it most",
      {{"example", Column::Kind::text}, {"value"}, {"where", Column::Kind::text}},
      {}};
  for (const NeuronPlace& place : neuron.highest)
    places.rows.push_back({fmt::format("{}", place.example), place.value, context_of(task, place)});
  Document::Table tokens{
      "Its mean by token",
      {{"token", Column::Kind::text}, {"mean"}, {"read", Column::Kind::number, 0}},
      {},
      1};
  std::vector<std::size_t> order;
  for (std::size_t token = 0; token < neuron.means.size(); ++token)
    if (found.tokens[token] > 0) order.push_back(token);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return neuron.means[a] > neuron.means[b]; });
  order.resize(std::min(order.size(), top));
  for (std::size_t token : order)
    tokens.rows.push_back({token_name(task, static_cast<int>(token)), neuron.means[token],
                           static_cast<double>(found.tokens[token])});
  return {places, tokens};
}

}  // namespace

Document neurons_document(const LoadedRun& run, const InspectArguments& asked,
                          const Terminal& terminal) {
  const Task& task = *run.task;
  const Index layer = std::max<Index>(asked.layer, 0);
  const bool one = asked.neuron >= 0;
  const auto top = static_cast<std::size_t>(asked.top < 0 ? 10 : asked.top);
  const Index examples = asked.examples < 0 ? 1000 : asked.examples;
  ProgressLine line(terminal, "reading");
  const Neurons found =
      neurons(*run.model, task, layer, one ? asked.neuron : 0, one ? asked.neuron + 1 : -1,
              examples, one ? top : 1, std::ref(line));
  line.clear();
  Document document;
  document.title =
      one ? fmt::format("Neuron {} of layer {} · step {}", asked.neuron, layer, run.steps)
          : fmt::format("Neurons of layer {} · step {}", layer, run.steps);
  const auto read = std::accumulate(found.tokens.begin(), found.tokens.end(), Index{0});
  document.notes = {fmt::format("Over {} tokens of {} held-out examples.", grouped(read),
                                grouped(found.examples))};
  if (one) {
    const Neurons::Neuron& neuron = found.neurons[0];
    document.notes.push_back(
        fmt::format("Mean {:.4f}, deviation {:.4f}, above 0 at {} of positions.", neuron.mean,
                    neuron.deviation, percent(neuron.active)));
    document.tables = tables_of_one(found, task, top);
  } else {
    document.notes.push_back(fmt::format(
        "{} of {} neurons, with the token that has the highest mean, and the place of the highest "
        "value.",
        std::min(top, found.neurons.size()), found.neurons.size()));
    document.tables = {table_of_all(found, task, top)};
  }
  return document;
}

}  // namespace tapehead
