#include "results.hpp"
#include "../../train/runs/labels.hpp"
#include "../../train/utf8.hpp"
#include "../../train/watch/median.hpp"
#include "axes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

Json mean_json(const Mean& mean) {
  return {{"mean", mean.mean}, {"deviation", mean.deviation}, {"margin", mean.margin}};
}

Json run_json_of(const SweepRow& row, std::size_t number, const Sweep& sweep) {
  const TrainOutcome& outcome = row.outcomes[number];
  const std::uint64_t seed = sweep.first_seed + number;
  Json run = {{"seed", seed}, {"folder", run_name(row.settings, seed)}, {"steps", outcome.steps}};
  if (has_diverged(outcome)) {
    run["diverged"] = true;
    return run;
  }
  run["val_loss"] = outcome.evaluation.loss;
  if (sweep.has_answers) run["exact_match"] = outcome.evaluation.exact_match;
  return run;
}

/// A seed, of up to 64 bits.
std::uint64_t seed_of(const Json& number) {
  if (const auto* large = std::get_if<std::uint64_t>(&number.value())) return *large;
  const Index seed = number.integer().value_or(-1);
  if (seed < 0) throw Error("no first_seed");
  return static_cast<std::uint64_t>(seed);
}

TrainOutcome outcome_of(const Json& run, bool has_answers) {
  const Index steps = run["steps"].integer().value_or(-1);
  if (steps < 0) throw Error("a run without its steps");
  if (!run["diverged"].is_null()) return diverged_at(steps);
  TrainOutcome outcome;
  outcome.steps = steps;
  outcome.evaluation.loss = run["val_loss"].number();
  if (has_answers) outcome.evaluation.exact_match = run["exact_match"].number();
  if (!std::isfinite(outcome.evaluation.loss) || !std::isfinite(outcome.evaluation.exact_match))
    throw Error("a run without its results");
  return outcome;
}

}  // namespace

TrainOutcome diverged_at(Index step) {
  TrainOutcome outcome;
  outcome.steps = step;
  outcome.evaluation.loss = infinity;
  return outcome;
}

bool has_diverged(const TrainOutcome& outcome) { return !std::isfinite(outcome.evaluation.loss); }

std::vector<Measure> measures(bool has_answers) {
  const Measure loss{"held-out loss", "val_loss", false, [](const TrainOutcome& outcome) {
                       return has_diverged(outcome) ? infinity : outcome.evaluation.loss;
                     }};
  if (!has_answers) return {loss};
  return {{"exact match", "exact_match", true,
           [](const TrainOutcome& outcome) {
             return has_diverged(outcome) ? -infinity : outcome.evaluation.exact_match;
           }},
          loss};
}

Spread spread(const SweepRow& row, const Measure& measure) {
  Spread result;
  for (const TrainOutcome& outcome : row.outcomes) result.values.push_back(measure.of(outcome));
  result.mean = mean_of(result.values);  // before they are sorted: a sum in the order of the seeds
  std::sort(result.values.begin(), result.values.end());
  result.median = median(result.values);
  result.worst = measure.is_share ? result.values.front() : result.values.back();
  return result;
}

std::vector<Index> ranking(const std::vector<SweepRow>& rows, bool has_answers) {
  std::vector<std::vector<double>> keys;  // the less the better
  for (const SweepRow& row : rows) {
    std::vector<double>& key = keys.emplace_back();
    key.push_back(row.stopped > 0 ? -static_cast<double>(row.stopped) : -infinity);
    for (const Measure& measure : measures(has_answers)) {
      const double value = spread(row, measure).median;
      key.push_back(measure.is_share ? -value : value);
    }
  }
  std::vector<Index> order(rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return keys.at(a) < keys.at(b); });
  return order;
}

int best_row(const std::vector<SweepRow>& rows, bool has_answers) {
  const Index first = ranking(rows, has_answers).at(0);
  const bool reached = std::isfinite(spread(rows.at(first), measures(false)[0]).median);
  return reached ? static_cast<int>(first) : -1;
}

std::string in_words(const Settings& settings) {
  std::vector<std::string> all;
  for (const auto& [option, value] : settings)
    all.push_back(fmt::format("{} {}", option, visible(value)));
  return fmt::format("{}", fmt::join(all, " · "));
}

void read_labels(Sweep& sweep, const std::string& folder) {
  for (SweepRow& row : sweep.rows) {
    std::vector<std::string> all;  // each once
    for (std::size_t i = 0; i < row.outcomes.size(); ++i) {
      const RunLabels labels =
          read_labels(folder + "/" + run_name(row.settings, sweep.first_seed + i));
      std::string text = visible(labels.name);
      if (!labels.tags.empty())
        text += fmt::format("{}[{}]", text.empty() ? "" : " ", fmt::join(labels.tags, ", "));
      if (!text.empty() && std::count(all.begin(), all.end(), text) == 0) all.push_back(text);
    }
    row.label = fmt::format("{}", fmt::join(all, ", "));
  }
}

bool has_labels(const Sweep& sweep) {
  return std::any_of(sweep.rows.begin(), sweep.rows.end(),
                     [](const SweepRow& row) { return !row.label.empty(); });
}

Json sweep_json(const Sweep& sweep, const std::string& folder) {
  Json all = Json::array();
  for (const SweepRow& row : sweep.rows) {
    Json settings = Json::object(), runs = Json::array();
    for (const auto& [option, value] : row.settings) settings[option] = value;
    for (std::size_t i = 0; i < row.outcomes.size(); ++i)
      runs.push_back(run_json_of(row, i, sweep));
    Json one = {{"settings", std::move(settings)}, {"runs", std::move(runs)}};
    for (const Measure& measure : measures(sweep.has_answers))
      one[measure.key] = mean_json(spread(row, measure).mean);
    if (row.stopped > 0) one["stopped"] = row.stopped;
    if (!row.label.empty()) one["label"] = row.label;
    all.push_back(std::move(one));
  }
  const int best = best_row(sweep.rows, sweep.has_answers);
  return {{"task", sweep.task},
          {"folder", folder},
          {"first_seed", sweep.first_seed},
          {"has_answers", sweep.has_answers},
          {"best", best < 0 ? Json() : Json(best)},
          {"combinations", std::move(all)}};
}

Sweep sweep_of(const Json& document, const std::string& path) try {
  Sweep sweep;
  sweep.task = document["task"].string();
  sweep.first_seed = seed_of(document["first_seed"]);
  if (!document["has_answers"].is_boolean()) throw Error("no has_answers");
  sweep.has_answers = std::get<bool>(document["has_answers"].value());
  std::size_t runs = 0;
  for (const Json& one : document["combinations"].items()) {
    SweepRow row;
    for (const auto& [option, value] : one["settings"].members())
      row.settings.emplace_back(option, value.string());
    row.stopped = one["stopped"].integer().value_or(0);
    for (const Json& run : one["runs"].items())
      row.outcomes.push_back(outcome_of(run, sweep.has_answers));
    const bool is_first = sweep.rows.empty();
    if (is_first) runs = row.outcomes.size();
    if (runs == 0 || row.outcomes.size() != runs ||
        (!is_first && row.settings.size() != sweep.rows[0].settings.size()))
      throw Error("combinations of different runs and settings");
    sweep.rows.push_back(std::move(row));
  }
  if (sweep.rows.empty()) throw Error("no combinations");
  return sweep;
} catch (const FileError&) {
  throw;
} catch (const Error& error) {
  throw FileError("{}: not the results of a sweep: {}", path, error.what());
}

}  // namespace tapehead
