#include "edge_input.hpp"
#include "../../../cli/terminal/answer.hpp"
#include "../../../train/config/choices.hpp"
#include "../../../train/config/options.hpp"
#include "prompts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

constexpr Choice<ReplaceBy> replacements[] = {
    {"resample", ReplaceBy::resample}, {"mean", ReplaceBy::mean}, {"zero", ReplaceBy::zero}};
constexpr Choice<EdgeMetric> metrics[] = {{"logit", EdgeMetric::logit},
                                          {"loss", EdgeMetric::loss},
                                          {"kl", EdgeMetric::kl},
                                          {"square", EdgeMetric::square}};

/// Parses an option with named values; an empty text is the standard value.
template <class T, std::size_t n>
T parse_choice(const char* option, const std::string& text, const Choice<T> (&choices)[n],
               const T& standard) {
  return text.empty() ? standard : require_named(option, text, choices).value;
}

std::string describe(EdgeMetric metric, ReplaceBy by) {
  switch (metric) {
    case EdgeMetric::logit:
      return by == ReplaceBy::resample
                 ? "the target's logit minus the logit of the other example's target"
                 : "the target's logit minus the mean of all logits";
    case EdgeMetric::loss:
      return "the cross-entropy";
    case EdgeMetric::kl:
      return "the KL divergence from the whole model's prediction";
    case EdgeMetric::square:
      break;
  }
  return "the squared difference from the whole model's logits";
}

std::string describe(ReplaceBy by, bool pair) {
  if (pair) return "its output for the corrupted prompt";
  if (by == ReplaceBy::resample) return "its output for another example of the same length";
  return by == ReplaceBy::mean ? "its mean over these examples at each position" : "zeros";
}

/// Returns a short name of a node: `0.1` for head 0.1.
std::string short_name(const CircuitNode& node) {
  return node.kind == CircuitNode::Kind::head ? node.name().substr(5) : node.name();
}

}  // namespace

EdgeInput edge_input(const LoadedRun& run, const InspectArguments& asked, EdgeMetric standard,
                     const Terminal& terminal) {
  const ReplaceBy by = parse_choice("--by", asked.by, replacements, ReplaceBy::resample);
  const EdgeMetric metric = parse_choice("--metric", asked.metric, metrics, standard);
  const bool pair = !asked.clean.empty() || !asked.corrupted.empty();
  if (pair && by != ReplaceBy::resample)
    throw UsageError(
        "--by {} replaces outputs without a corrupted prompt; remove --clean and "
        "--corrupted",
        asked.by);
  if (pair && asked.examples >= 0)
    throw UsageError("use either --examples, or --clean and --corrupted");
  const EdgeGraph checked(*run.model);  // before reading examples
  std::vector<EdgeBatch> batches;
  std::string subject;
  if (pair) {
    const Prompts p = prompts_of(run, asked, terminal);
    batches = {{p.pair.clean, p.pair.corrupted}};
    const auto shown = [&](const Example& e) {
      return visible(run.task->show(std::vector<int>(e.tokens.begin(), e.tokens.end())));
    };
    subject = fmt::format("'{}', replaced from '{}'", shown(p.clean), shown(p.corrupted));
  } else {
    batches = edge_batches(*run.model, *run.task, asked.examples < 0 ? 100 : asked.examples, by);
  }
  EdgeTrial trial(*run.model, std::move(batches), by, metric);
  if (!pair) subject = grouped(trial.examples(), "validation example");
  const auto targets = static_cast<long long>(trial.targets());
  std::vector<std::string> notes = {
      fmt::format("Metric: {}, averaged over {} of {}.", describe(metric, by),
                  grouped(targets, "target"), subject),
      fmt::format("Whole model: {:.4f}. All edges replaced: {:.4f}.", trial.whole(), trial.none()),
      fmt::format("A replaced edge carries, instead of the writer's output, {}.",
                  describe(by, pair))};
  return {std::move(trial), std::move(notes)};
}

std::map<std::string, double> edge_numbers(const EdgeTrial& trial) {
  return {{"whole", trial.whole()},
          {"none", trial.none()},
          {"examples", static_cast<double>(trial.examples())},
          {"targets", static_cast<double>(trial.targets())}};
}

Document::Graph graph_of(const EdgeGraph& graph, const std::string& quantity,
                         const std::vector<std::size_t>& kept, const std::vector<double>& scores) {
  constexpr const char* parts[] = {"", "query", "key", "value"};
  Document::Graph shown{"Graph", quantity, {}, {}};
  for (const CircuitNode& node : graph.nodes) shown.nodes.push_back({node.name(), node.level});
  for (std::size_t e : kept) {
    const Edge& edge = graph.edges[e];
    shown.edges.push_back({graph.nodes[edge.from].name(), graph.nodes[graph.node_of(edge)].name(),
                           parts[static_cast<int>(graph.readers[edge.reader].part)], scores[e]});
  }
  return shown;
}

std::vector<std::size_t> strongest_edges(const std::vector<std::size_t>& edges,
                                         const std::vector<double>& scores, Index most) {
  std::vector<std::size_t> order = edges;
  const auto rank = [&](std::size_t e) {
    return std::isnan(scores[e]) ? std::numeric_limits<double>::infinity() : std::abs(scores[e]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
  return order;
}

std::vector<std::string> edge_count_note(std::size_t shown, std::size_t all) {
  if (shown == all) return {};
  return {fmt::format("The table shows {} of {} edges; --top sets the number.", shown, all)};
}

std::vector<Document::Grid> edge_grid(const EdgeGraph& graph, const std::string& title,
                                      const std::vector<std::size_t>& edges,
                                      const std::vector<double>& scores) {
  constexpr std::size_t most = 64;  // readers in a map
  if (graph.readers.size() > most) return {};
  constexpr const char* parts[] = {"", " q", " k", " v"};
  Document::Grid grid{title, "writes", "reads"};
  for (const NodeReader& reader : graph.readers)
    grid.columns.push_back(short_name(graph.nodes[reader.node]) +
                           parts[static_cast<int>(reader.part)]);
  for (std::size_t i = 0; i + 1 < graph.nodes.size(); ++i)
    grid.rows.push_back(short_name(graph.nodes[i]));
  grid.values.resize(grid.rows.size() * grid.columns.size(), std::nan(""));
  for (std::size_t e : edges)
    grid.values[graph.edges[e].from * grid.columns.size() + graph.edges[e].reader] = scores[e];
  return {grid};
}

}  // namespace tapehead
