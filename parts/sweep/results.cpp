#include "results.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/labels.hpp"
#include "../../train/watch/timing.hpp"
#include "axes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

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
  for (const By by : {By::last, By::best})
    for (const Measure& measure : measures(sweep.has_answers, by))
      run[measure.key] = measure.of(outcome);
  run["best_step"] = outcome.best_step < 0 ? outcome.steps : outcome.best_step;
  return run;
}

/// Returns the best or last evaluation of a run, as `by` says; the last one if the best is unknown.
const Evaluation& evaluation_of(const TrainOutcome& outcome, By by) {
  return by == By::best && outcome.best_step >= 0 ? outcome.best : outcome.evaluation;
}

/// Parses an unsigned seed of up to 64 bits.
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
  outcome.best_step = run["best_step"].integer().value_or(-1);  // missing in files of old versions
  if (outcome.best_step < 0) return outcome;
  outcome.best.loss = run["best_val_loss"].number();
  if (has_answers) outcome.best.exact_match = run["best_exact_match"].number();
  if (!std::isfinite(outcome.best.loss) || !std::isfinite(outcome.best.exact_match))
    throw Error("a run without its best evaluation");
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

const char* name_of(By by) { return by == By::best ? "best" : "last"; }

double Measure::of(const TrainOutcome& outcome) const {
  if (has_diverged(outcome)) return is_share ? -infinity : infinity;
  const Evaluation& evaluation = evaluation_of(outcome, by);
  return is_share ? evaluation.exact_match : evaluation.loss;
}

std::vector<Measure> measures(bool has_answers, By by) {
  const bool best = by == By::best;
  const Measure loss{"validation loss", best ? "best_val_loss" : "val_loss", false, by};
  if (!has_answers) return {loss};
  return {{"exact match", best ? "best_exact_match" : "exact_match", true, by}, loss};
}

std::vector<std::pair<Measure, Measure>> measure_pairs(const Sweep& sweep) {
  const std::vector<Measure> counted = measures(sweep.has_answers, sweep.by),
                             others = measures(sweep.has_answers,
                                               sweep.by == By::best ? By::last : By::best);
  std::vector<std::pair<Measure, Measure>> pairs;
  for (std::size_t i = 0; i < counted.size(); ++i) pairs.emplace_back(counted[i], others[i]);
  return pairs;
}

Spread spread(const SweepRow& row, const Measure& measure) {
  Spread result;
  for (const TrainOutcome& outcome : row.outcomes) result.values.push_back(measure.of(outcome));
  result.mean = mean_of(result.values);  // summed in seed order, before sorting
  std::sort(result.values.begin(), result.values.end());
  result.median = median(result.values);
  result.worst = measure.is_share ? result.values.front() : result.values.back();
  return result;
}

std::vector<Index> ranking(const Sweep& sweep) {
  std::vector<std::vector<double>> keys;  // one per row; the lowest in lexical order is best
  for (const SweepRow& row : sweep.rows) {
    std::vector<double>& key = keys.emplace_back();
    key.push_back(row.stopped > 0 ? -static_cast<double>(row.stopped) : -infinity);
    for (const Measure& measure : measures(sweep.has_answers && !sweep.ranks_by_loss, sweep.by)) {
      const double value = spread(row, measure).median;
      key.push_back(measure.is_share ? -value : value);
    }
  }
  std::vector<Index> order(sweep.rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return keys.at(a) < keys.at(b); });
  return order;
}

int best_row(const Sweep& sweep) {
  const Index first = ranking(sweep).at(0);
  const Measure loss = measures(false, sweep.by)[0];
  const bool reached = std::isfinite(spread(sweep.rows.at(first), loss).median);
  return reached ? static_cast<int>(first) : -1;
}

std::string settings_text(const Settings& settings) {
  std::vector<std::string> all;
  for (const auto& [option, value] : settings)
    all.push_back(fmt::format("{} {}", option, visible(value)));
  return fmt::format("{}", fmt::join(all, " · "));
}

LengthCurve length_curve_of(const SweepRow& row, const Sweep& sweep, const std::string& folder,
                            const std::string& lengths, const Registry& registry,
                            const std::string& option) {
  if (any_of(row.outcomes, has_diverged)) return {};
  std::vector<LengthCurve> curves;
  for (std::size_t i = 0; i < row.outcomes.size(); ++i) {
    const std::string run = folder + "/" + run_name(row.settings, sweep.first_seed + i);
    curves.push_back(length_curve(run, lengths, registry, option));
    if (curves.back().empty()) return {};
  }
  return mean_curve(curves);
}

std::vector<double> lengths_of(const Sweep& sweep) {
  std::set<double> all;
  for (const SweepRow& row : sweep.rows)
    all.insert(row.by_length.lengths.begin(), row.by_length.lengths.end());
  return {all.begin(), all.end()};
}

void read_labels(Sweep& sweep, const std::string& folder) {
  for (SweepRow& row : sweep.rows) {
    std::vector<std::string> all;  // distinct labels of the row's runs
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
    for (const By by : {By::last, By::best})
      for (const Measure& measure : measures(sweep.has_answers, by))
        one[measure.key] = mean_json(spread(row, measure).mean);
    if (row.stopped > 0) one["stopped"] = row.stopped;
    if (!row.label.empty()) one["label"] = row.label;
    if (!row.by_length.empty()) one["by_length"] = to_json(row.by_length);
    all.push_back(std::move(one));
  }
  const int best = best_row(sweep);
  Json document = {{"task", sweep.task},
                   {"folder", folder},
                   {"first_seed", sweep.first_seed},
                   {"has_answers", sweep.has_answers},
                   {"by", name_of(sweep.by)},
                   {"best", best < 0 ? Json() : Json(best)},
                   {"combinations", std::move(all)}};
  if (sweep.ranks_by_loss) document["ranks_by_loss"] = true;
  return document;
}

Sweep parse_sweep(const Json& document, const std::string& path) try {
  Sweep sweep;
  sweep.task = document["task"].string();
  sweep.first_seed = seed_of(document["first_seed"]);
  if (!document["has_answers"].is_boolean()) throw Error("no has_answers");
  sweep.has_answers = std::get<bool>(document["has_answers"].value());
  sweep.ranks_by_loss = document["ranks_by_loss"].is_boolean();
  std::size_t runs = 0;
  for (const Json& one : document["combinations"].items()) {
    SweepRow row;
    for (const auto& [option, value] : one["settings"].members())
      row.settings.emplace_back(option, value.string());
    row.stopped = one["stopped"].integer().value_or(0);
    row.by_length = parse_length_curve(one["by_length"]);
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

std::string sweep_file(const std::string& folder) { return folder + "/sweep.json"; }

Sweep read_sweep(const std::string& folder) {
  const std::string path = sweep_file(folder);
  return parse_sweep(parse_json(read_file(path)).value_or(Json()), path);
}

}  // namespace tapehead
