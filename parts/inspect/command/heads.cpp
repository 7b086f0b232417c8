#include "../../../cli/attention/heads.hpp"
#include "../../../cli/terminal/progress_line.hpp"
#include "../ablation.hpp"
#include "experiments.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace tapehead {
namespace {

using Key = std::pair<Index, Index>;  // layer and head

/// Returns the loss increase from ablating each head.
std::map<Key, double> costs_of(const LoadedRun& run, Index examples, const Terminal& terminal) {
  const Batch batch = run.model->batch({held_out_example(*run.task, 0)});
  const std::vector<Site> sites = find_sites(*run.model, batch);
  std::vector<Ablation> ablations;
  for (const Site& site : sites)
    if (site.kind == Site::Kind::head) ablations.push_back({{&site}});
  ProgressLine line(terminal, "ablating");
  const Ablations found =
      ablate(*run.model, *run.task, ablations, AblateBy::mean, examples, std::ref(line));
  line.clear();
  std::map<Key, double> costs;
  for (std::size_t i = 0; i < ablations.size(); ++i) {
    const Site& site = *ablations[i].sites[0];
    costs[{site.number, site.head}] = found.without[i].loss - found.whole.loss;
  }
  return costs;
}

/// Returns the name of the head's attention pattern: `uniform` if it attends evenly to all keys and
/// its ablation increases the loss. An untrained head attends evenly without an effect on the loss.
std::string pattern_name(const HeadReading& head, double cost) {
  const std::string rule = describe(head.patterns);
  const bool uniform = rule.empty() && head.tally.evenness() >= 0.95 && cost >= 0.01;
  return uniform ? fmt::format("uniform {:.2f}", head.tally.evenness()) : rule;
}

/// Throws Error that says whether the model has no attention layers or layers without attention
/// maps.
[[noreturn]] void refuse_without_maps(const LoadedRun& run) {
  const Batch batch = run.model->batch({held_out_example(*run.task, 0)});
  for (const Site& site : find_sites(*run.model, batch))
    if (site.kind == Site::Kind::attention)
      throw Error("attention: --attention {} has no attention maps", run.config.attention);
  throw Error(
      "attention: --arch {} has no attention layers; use a run with --arch gpt, encoder, "
      "encoder-decoder or vit",
      run.model->arch);
}

}  // namespace

Document heads_document(const LoadedRun& run, const InspectArguments& asked,
                        const Terminal& terminal) {
  const Index examples = asked.examples < 0 ? enough_to_name : asked.examples;
  if (examples < enough_to_name)
    throw UsageError("--examples {}: naming heads needs at least {} examples", examples,
                     enough_to_name);
  const std::vector<HeadReading> heads = read_heads(*run.model, *run.task, 0, examples);
  if (heads.empty()) refuse_without_maps(run);
  const std::map<Key, double> costs = costs_of(run, examples, terminal);
  Document document;
  document.title = fmt::format("Heads · step {}", run.steps);
  document.notes = {fmt::format(
      "Over {}: each head's attention patterns and their mean "
      "weights, the entropy "
      "of its weights in nats, the loss increase without it, and the confidence of each pattern.",
      grouped(std::min(examples, held_out_size(*run.task)), "validation example"))};
  using Kind = Document::Column::Kind;
  Document::Table table{
      "Heads",
      {{"head", Kind::text}, {"follows", Kind::text}, {"entropy", Kind::number, 2}, {"costs"}},
      {},
      3};
  Document::Table rules{"Patterns", {{"head", Kind::text}, {"pattern", Kind::text}}, {}};
  for (const char* of : {"weight", "low", "high", "chance"})
    rules.columns.push_back({of, Kind::number, 3});
  rules.columns.push_back({"queries", Kind::share, 1});
  for (const HeadReading& head : heads) {
    const std::string name = fmt::format("{}.{}", head.layer, head.head);
    for (const Pattern& rule : head.patterns)
      rules.rows.push_back(
          {name, rule.title(), rule.weight, rule.low, rule.high, rule.chance, rule.share});
    const auto found = costs.find({head.layer, head.head});
    const double cost = found == costs.end() ? std::nan("") : found->second;
    table.rows.push_back({name, pattern_name(head, cost), head.tally.entropy(), cost});
  }
  document.tables = {std::move(table)};
  if (!rules.rows.empty()) document.tables.push_back(std::move(rules));
  return document;
}

}  // namespace tapehead
