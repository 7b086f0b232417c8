#include "../../../train/config/values.hpp"
#include "../../../train/files/strings.hpp"
#include "methods.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tapehead {
namespace {

/// Returns the numbers in a column of a table, by the text in its first column. If a text occurs
/// several times, the largest counts.
std::map<std::string, double> column(const Document::Table& table, const char* name) {
  const auto found = find_named(table.columns, name);
  std::map<std::string, double> all;
  for (const auto& row : table.rows) {
    const double value = std::get<double>(row[found - table.columns.begin()]);
    const auto at = all.emplace(std::get<std::string>(row[0]), value).first;
    at->second = std::max(at->second, value);
  }
  return all;
}

/// Items with names, of which some are true.
struct Items {
  std::vector<std::string> names = {};
  std::vector<bool> truth = {};

  void add(const std::string& name, bool is_true) {
    names.push_back(name);
    truth.push_back(is_true);
  }
  /// Scores a method by its numbers; it reports those above a threshold. Items without a number
  /// have 0.
  Detection detect(const std::map<std::string, double>& numbers, double threshold) const {
    std::vector<double> scores;
    std::vector<bool> found;
    for (const std::string& name : names) {
      const auto at = numbers.find(name);
      scores.push_back(at == numbers.end() ? 0 : at->second);
      found.push_back(scores.back() > threshold);
    }
    return tapehead::detect(truth, found, scores);
  }
};

Items components_of(const EdgeGraph& graph, const KnownCircuit& known, bool only_heads) {
  Items items;
  for (const CircuitNode& node : graph.nodes)
    if (node.kind == CircuitNode::Kind::head ||
        (node.kind == CircuitNode::Kind::mlp && !only_heads))
      items.add(node.name(), known.has(node.name()));
  return items;
}

/// Returns the names of the hook points that carry the output, of a component in this block: the
/// component's own output and, in later blocks, the residual stream.
Items points_of(const std::vector<std::string>& names, const EdgeGraph& graph,
                const KnownCircuit& known) {
  std::set<std::string> writers;
  for (const auto& component : known.components)
    if (component.sequence == "output") writers.insert(component.name);
  Items items;
  const auto last = static_cast<Index>(graph.blocks.size());
  std::vector<bool> by_heads(last), by_mlp(last);
  for (const CircuitNode& node : graph.nodes)
    if (writers.count(node.name()))
      (node.kind == CircuitNode::Kind::head ? by_heads : by_mlp)[node.layer] = true;
  for (const std::string& name : names) {
    const std::string rest = name.substr(name.find('.') + 1);  // after `blocks.`
    const Index block =
        std::min<Index>(to_index("block", rest.substr(0, rest.find('.'))), last - 1);
    const std::string point = rest.substr(rest.find('.') + 1);
    bool before = false;
    for (Index b = 0; b < block; ++b) before = before || by_heads[b] || by_mlp[b];
    const bool is_attention = starts_with(point, "attention"), is_mlp = starts_with(point, "mlp");
    items.add(name, is_attention     ? by_heads[block]
                    : is_mlp         ? by_mlp[block]
                    : point == "out" ? before || by_heads[block] || by_mlp[block]
                                     : before);
  }
  return items;
}

}  // namespace

std::vector<MethodScore> score_components(const LoadedRun& run, const EdgeGraph& graph,
                                          const KnownCircuit& known, Index examples,
                                          const Terminal& terminal) {
  std::vector<MethodScore> all;
  InspectArguments asked;
  asked.examples = examples;
  const Items components = components_of(graph, known, false);
  for (const char* by : {"mean", "zero"}) {
    asked.by = by;
    const auto costs = column(ablate_document(run, asked, terminal).tables[0], "costs");
    double most = 0;
    for (const std::string& name : components.names) most = std::max(most, costs.at(name));
    all.push_back(
        {fmt::format("ablate, {}", by), components.detect(costs, score_threshold * most)});
  }
  asked.by.clear();
  append_scores(all, {"patch"}, [&] {
    const Document found = patch_document(run, asked, terminal);
    all.push_back(
        {"patch", components.detect(column(found.tables[0], "comes back"), score_threshold)});
  });

  InspectArguments reading = asked;
  reading.examples = -1;  // naming heads needs its own number
  const Document heads = heads_document(run, reading, terminal);
  std::map<std::string, double> named;
  if (heads.tables.size() > 1)
    for (const auto& [name, weight] : column(heads.tables[1], "weight"))
      named["head " + name] = weight;
  all.push_back({"heads", components_of(graph, known, true).detect(named, 0)});

  Items neurons;
  std::map<std::string, double> deviations;
  for (const CircuitNode& node : graph.nodes) {
    if (node.kind != CircuitNode::Kind::mlp) continue;
    asked.layer = node.layer, asked.top = std::numeric_limits<Index>::max();
    for (const auto& [number, deviation] :
         column(neurons_document(run, asked, terminal).tables[0], "deviation")) {
      const Index n = to_index("neuron", number);
      const bool is_used = any_of(known.components, [&](const auto& each) {
        return each.name == node.name() && each.first <= n && n < each.end;
      });
      neurons.add(fmt::format("{} {}", node.name(), number), is_used);
      deviations[neurons.names.back()] = deviation;
    }
  }
  all.push_back({"neurons", neurons.detect(deviations, 0)});

  const auto accuracies = column(probe_document(run, asked, terminal).tables[0], "accuracy");
  std::vector<std::string> points;
  for (const auto& each : accuracies) points.push_back(each.first);
  all.push_back({"probe", points_of(points, graph, known).detect(accuracies, 0.99)});
  return all;
}

}  // namespace tapehead
