#include "../../../cli/terminal/progress_line.hpp"
#include "../../../train/config/choices.hpp"
#include "../../../train/config/options.hpp"
#include "../ablation.hpp"
#include "experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tapehead {
namespace {

using Kind = Site::Kind;
using Column = Document::Column;

/// An ablation with its name in the table.
struct NamedAblation {
  std::string name;
  Ablation ablation;
};

/// Parses heads such as `0.1,1.3` into one ablation. Throws UsageError for a head that doesn't
/// exist.
NamedAblation heads_of(const std::string& text, const std::vector<Site>& sites) {
  NamedAblation heads{"heads " + text, {}};
  std::vector<std::string> known;
  for (const Site& site : sites)
    if (site.kind == Kind::head) known.push_back(fmt::format("{}.{}", site.number, site.head));
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, comma - at);
    require_known("--heads", one, known);
    for (const Site& site : sites)
      if (site.name() == "head " + one) heads.ablation.sites.push_back(&site);
    at = comma + 1;
  }
  return heads;
}

std::vector<NamedAblation> pairs_of(const std::vector<Site>& sites) {
  std::vector<NamedAblation> pairs;
  for (const Site& a : sites)
    for (const Site& b : sites)
      if (&a < &b && a.kind == Kind::head && b.kind == Kind::head)
        pairs.push_back(
            {fmt::format("heads {}.{} and {}.{}", a.number, a.head, b.number, b.head), {{&a, &b}}});
  return pairs;
}

/// Returns an ablation of each block at each position, block by block.
std::vector<NamedAblation> positions_of(const std::vector<Site>& sites) {
  std::vector<NamedAblation> all;
  for (const Site& site : sites)
    for (Index t = 0; site.kind == Kind::block && t < site.positions; ++t)
      all.push_back({fmt::format("{} at {}", site.name(), t), {{&site}, t}});
  return all;
}

/// Lists the ablations in descending order of loss; NaN comes first.
Document::Table table_of(const std::vector<NamedAblation>& named, const Ablations& found,
                         bool has_answers) {
  std::vector<std::size_t> order(named.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto rank = [&](std::size_t i) {
    const double loss = found.without[i].loss;
    return std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  Document::Table table{"Loss without each component",
                        {{"without", Column::Kind::text}, {"loss"}, {"costs"}, {"±"}},
                        {},
                        2};
  if (has_answers) table.columns.push_back({"exact match", Column::Kind::share});
  for (std::size_t i : order) {
    const AblationLoss& worth = found.without[i];
    table.rows.push_back(
        {named[i].name, worth.loss, worth.loss - found.whole.loss, worth.difference_error});
    if (has_answers) table.rows.back().emplace_back(worth.exact_match);
  }
  return table;
}

/// Shows the loss or exact match of each ablation of `positions_of`, by block and position.
Document::Grid grid_of(const std::vector<NamedAblation>& named, const Ablations& found,
                       bool of_loss) {
  Document::Grid grid{of_loss ? "Loss increase" : "Exact match lost", "", "position", {}, {}, {}};
  Index positions = 0;
  for (const NamedAblation& each : named)
    positions = std::max(positions, each.ablation.position + 1);
  for (Index t = 0; t < positions; ++t) grid.columns.push_back(fmt::format("{}", t));
  for (std::size_t i = 0; i < named.size(); ++i) {
    const Index position = named[i].ablation.position;
    if (position == 0) {
      grid.rows.push_back(named[i].ablation.sites[0]->name());
      grid.values.resize(grid.rows.size() * grid.columns.size(), std::nan(""));
    }
    const AblationLoss& worth = found.without[i];
    grid.values[grid.values.size() - positions + position] =
        of_loss ? worth.loss - found.whole.loss : found.whole.exact_match - worth.exact_match;
  }
  return grid;
}

std::vector<NamedAblation> requested_ablations(const InspectArguments& asked,
                                               const std::vector<Site>& sites) {
  if (!asked.heads.empty() + asked.pairs + asked.positions > 1)
    throw UsageError("inspect ablate: use only one of --heads, --pairs and --positions");
  const bool has_heads = any_of(sites, [](const Site& site) { return site.kind == Kind::head; });
  if (!has_heads && (asked.pairs || !asked.heads.empty()))
    throw UsageError(
        "inspect ablate: this model's attention doesn't expose single heads; remove --heads and "
        "--pairs");
  if (asked.positions) return positions_of(sites);
  if (!asked.heads.empty()) return {heads_of(asked.heads, sites)};
  if (asked.pairs) return pairs_of(sites);
  std::vector<NamedAblation> each;
  for (const Site& site : sites) {
    const bool is_attention_alone = site.kind == Kind::block && site.places.size() < 2;
    if (!is_attention_alone) each.push_back({site.name(), {{&site}}});
  }
  return each;
}

}  // namespace

Document ablate_document(const LoadedRun& run, const InspectArguments& asked,
                         const Terminal& terminal) {
  if (!asked.by.empty()) require_known("--by", asked.by, {"mean", "zero"});
  const bool zero = asked.by == "zero", has_answers = run.task->has_answers();
  std::vector<Example> some;
  for (Index i = 0; i < std::min(evaluation_batch_size(*run.task), held_out_size(*run.task)); ++i)
    some.push_back(held_out_example(*run.task, i));
  const std::vector<Site> sites = find_sites(*run.model, run.model->batch(some));
  const std::vector<NamedAblation> named = requested_ablations(asked, sites);
  std::vector<Ablation> ablations;
  for (const NamedAblation& each : named) ablations.push_back(each.ablation);
  ProgressLine line(terminal, "ablating");
  const Ablations found =
      ablate(*run.model, *run.task, ablations, zero ? AblateBy::zero : AblateBy::mean,
             asked.examples < 0 ? 1000 : asked.examples, std::ref(line));
  line.clear();
  Document document;
  document.title = fmt::format("Ablation · step {}", run.steps);
  document.notes = {
      fmt::format("Unablated model: loss {:.4f}{}, on {}.", found.whole.loss,
                  has_answers ? ", exact match " + percent(found.whole.exact_match) : "",
                  grouped(found.examples, "validation example")),
      zero ? "Ablated outputs are replaced by zeros."
           : "Ablated outputs are replaced by their mean over these examples at each position."};
  document.numbers = {{"loss", found.whole.loss},
                      {"examples", static_cast<double>(found.examples)}};
  if (has_answers) document.numbers["exact match"] = found.whole.exact_match;
  if (!asked.positions) {
    document.tables = {table_of(named, found, has_answers)};
  } else {
    document.grids = {grid_of(named, found, true)};
    if (has_answers) document.grids.push_back(grid_of(named, found, false));
  }
  return document;
}

}  // namespace tapehead
