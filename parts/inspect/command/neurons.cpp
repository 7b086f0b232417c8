#include "../neurons.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../cli/terminal/progress_line.hpp"
#include "experiment_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tapehead {
namespace {

std::string context_of(const Task& task, const NeuronPlace& place) {
  return in_context(task, held_out_example(task, place.example).tokens, place.position);
}

/// Returns the indices of the `count` largest numbers in descending order.
std::vector<std::size_t> largest(const std::vector<double>& numbers, std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isnan(numbers[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return numbers[a] > numbers[b]; });
  order.resize(std::min(order.size(), count));
  return order;
}

/// Lists the neurons in descending order of standard deviation.
Document::Table table_of_all(const Neurons& found, const Task& task, std::size_t top) {
  Document::Table table{"Neurons with the largest deviation",
                        {text_column("neuron"),
                         {"deviation"},
                         {"mean"},
                         {"above 0", Document::Column::Kind::share},
                         {"highest"},
                         text_column("token"),
                         text_column("where it is highest")},
                        {}};
  std::vector<double> deviations;
  for (const auto& neuron : found.neurons) deviations.push_back(neuron.deviation);
  for (std::size_t i : largest(deviations, top)) {
    const Neurons::Neuron& neuron = found.neurons[i];
    const auto token = static_cast<int>(largest(neuron.means, 1)[0]);
    table.rows.push_back({fmt::format("{}", i), neuron.deviation, neuron.mean, neuron.active,
                          neuron.highest[0].value, token_name(task, token),
                          context_of(task, neuron.highest[0])});
  }
  return table;
}

/// Returns two tables of one neuron: its highest values in context, and its mean value by token.
std::vector<Document::Table> tables_of_one(const Neurons& found, const Task& task,
                                           std::size_t top) {
  const Neurons::Neuron& neuron = found.neurons[0];
  Document::Table places{"Examples with the largest value",
                         {text_column("example"), {"value"}, text_column("where")},
                         {}};
  for (const NeuronPlace& place : neuron.highest)
    places.rows.push_back({fmt::format("{}", place.example), place.value, context_of(task, place)});
  Document::Table tokens{
      "Mean by token",
      {text_column("token"), {"mean"}, {"times", Document::Column::Kind::number, 0}},
      {},
      1};
  for (std::size_t token : largest(neuron.means, top))
    tokens.rows.push_back({token_name(task, static_cast<int>(token)), neuron.means[token],
                           static_cast<double>(found.tokens[token])});
  return {places, tokens};
}

}  // namespace

Document neurons_document(const LoadedRun& run, const InspectArguments& asked,
                          const Terminal& terminal) {
  const Task& task = *run.task;
  const Index layer = std::max<Index>(asked.layer, 0), number = asked.neuron;
  const Index examples = asked.examples < 0 ? 1000 : asked.examples;
  const auto top = static_cast<std::size_t>(asked.top < 0 ? 10 : asked.top);
  ProgressLine line(terminal, "reading");
  const Neurons found = neurons(*run.model, task, layer, std::max<Index>(number, 0),
                                number < 0 ? -1 : number + 1, examples, top, std::ref(line));
  line.clear();
  Document document;
  document.title =
      fmt::format("{} of layer {} · step {}",
                  number < 0 ? "Neurons" : fmt::format("Neuron {}", number), layer, run.steps);
  const auto read = std::accumulate(found.tokens.begin(), found.tokens.end(), Index{0});
  document.notes = {fmt::format("Over {} of {}.", grouped(read, "token"),
                                grouped(found.examples, "validation example"))};
  if (number < 0) {
    document.notes.push_back(fmt::format(
        "Showing {} of {}, each with the token of its highest mean and the place of its highest "
        "value.",
        std::min(top, found.neurons.size()), found.neurons.size()));
    document.tables = {table_of_all(found, task, top)};
  } else {
    const Neurons::Neuron& neuron = found.neurons[0];
    document.notes.push_back(fmt::format("Mean {:.4f}, deviation {:.4f}, above 0 at {}.",
                                         neuron.mean, neuron.deviation, percent(neuron.active)));
    document.tables = tables_of_one(found, task, top);
  }
  return document;
}

}  // namespace tapehead
