#include "table.hpp"
#include "../../train/watch/median.hpp"
#include "axes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr const char* none = "–";

std::string shown(double value, const Measure& measure) {
  if (!std::isfinite(value)) return none;
  return measure.is_share ? percent(value) : fmt::format("{:.4f}", value);
}
/// `0.5 ± 0.1`; the mean alone where there is no margin.
std::string shown_mean(const Mean& mean, const Measure& measure) {
  if (!std::isfinite(mean.mean)) return none;
  const double scale = measure.is_share ? 100 : 1;
  const int decimals = measure.is_share ? 2 : 4;
  std::string text = fmt::format("{:.{}f}", scale * mean.mean, decimals);
  if (std::isfinite(mean.margin)) text += fmt::format(" ± {:.{}f}", scale * mean.margin, decimals);
  return text + (measure.is_share ? " %" : "");
}
std::string shown_deviation(double deviation, const Measure& measure) {
  if (!std::isfinite(deviation)) return none;
  return measure.is_share ? fmt::format("{:.2f} %", 100 * deviation)
                          : fmt::format("{:.4f}", deviation);
}

/// The median number of steps, where runs were given up, or at which step they diverged.
std::string steps_text(const SweepRow& row) {
  const std::vector<TrainOutcome>& all = row.outcomes;
  std::vector<Index> at;
  std::vector<double> steps;
  for (const TrainOutcome& outcome : all) {
    steps.push_back(static_cast<double>(outcome.steps));
    if (has_diverged(outcome)) at.push_back(outcome.steps);
  }
  const std::string stopped = row.stopped > 0 ? fmt::format("given up at {}", row.stopped) : "";
  if (at.empty()) return !stopped.empty() ? stopped : fmt::format("{:.0f}", median(steps));
  const auto [first, last] = std::minmax_element(at.begin(), at.end());
  return fmt::format("{}diverged {} step {}{}",
                     all.size() > 1 ? fmt::format("{} of {} ", at.size(), all.size()) : "",
                     *first == *last ? "at" : "from", *first,
                     stopped.empty() ? "" : ", " + stopped);
}

bool has_seeds(const Sweep& sweep) { return sweep.rows.at(0).outcomes.size() > 1; }

std::vector<std::string> settings_head(const Sweep& sweep) {
  std::vector<std::string> head;
  for (const auto& setting : sweep.rows.at(0).settings) head.push_back(setting.first);
  return head;
}
std::vector<std::string> settings_cells(const SweepRow& row) {
  std::vector<std::string> cells;
  for (const auto& setting : row.settings) cells.push_back(visible(setting.second));
  return cells;
}

/// The heads of add_cells, the first of which is `median`.
void add_heads(const std::string& median, const Measure& other, bool seeds,
               std::vector<std::string>& head) {
  head.push_back(median);
  if (seeds) head.insert(head.end(), {"worst", "mean ± 95 %", "deviation"});
  head.emplace_back(name_of(other.by));
}
/// The median by the evaluation that counts and by the other one; between them, of several seeds,
/// the worst, the mean and the deviation.
void add_cells(const SweepRow& row, const Measure& measure, const Measure& other, bool seeds,
               std::vector<std::string>& cells) {
  const Spread spread = tapehead::spread(row, measure);
  cells.push_back(shown(spread.median, measure));
  if (seeds) {
    cells.push_back(shown(spread.worst, measure));
    cells.push_back(shown_mean(spread.mean, measure));
    cells.push_back(shown_deviation(spread.mean.deviation, measure));
  }
  cells.push_back(shown(tapehead::spread(row, other).median, other));
}
std::string name_with_by(const Measure& measure) {
  return fmt::format("{} {}", name_of(measure.by), measure.name);
}

std::string aligned(std::vector<std::vector<std::string>> cells, const Terminal& terminal) {
  Table table(std::vector<Table::Align>(cells[0].size(), Table::Align::right));
  for (std::vector<std::string>& row : cells) table.add(std::move(row));
  return table.text(terminal.width);
}

/// One measure of several seeds.
std::string measure_text(const Sweep& sweep, const Measure& measure, const Measure& other,
                         bool with_steps, const Terminal& terminal) {
  std::vector<std::vector<std::string>> all = {settings_head(sweep)};
  add_heads("median", other, true, all[0]);
  if (with_steps) all[0].emplace_back("steps");
  const bool with_labels = with_steps && has_labels(sweep);
  if (with_labels) all[0].emplace_back("label");
  for (const SweepRow& row : sweep.rows) {
    std::vector<std::string> cells = settings_cells(row);
    add_cells(row, measure, other, true, cells);
    if (with_steps) cells.push_back(steps_text(row));
    if (with_labels) cells.push_back(row.label);
    all.push_back(std::move(cells));
  }
  return fmt::format("{} over {} seeds\n", name_with_by(measure), sweep.rows[0].outcomes.size()) +
         aligned(std::move(all), terminal);
}

/// One chart: the results of each combination, their median and their mean.
Json chart_json(const Sweep& sweep, const Measure& measure) {
  Json combinations = Json::array();
  for (const SweepRow& row : sweep.rows) {
    const Spread spread = tapehead::spread(row, measure);
    combinations.push_back({{"results", spread.values},
                            {"median", spread.median},
                            {"mean", spread.mean.mean},
                            {"margin", spread.mean.margin},
                            {"stopped", row.stopped}});
  }
  std::string name = measure.name;
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return {{"measure", name}, {"combinations", std::move(combinations)}};
}

}  // namespace

std::vector<std::vector<std::string>> sweep_cells(const Sweep& sweep) {
  const bool seeds = has_seeds(sweep);
  std::vector<std::vector<std::string>> all = {settings_head(sweep)};
  const auto pairs = measure_pairs(sweep);
  for (const auto& [measure, other] : pairs) add_heads(name_with_by(measure), other, seeds, all[0]);
  all[0].emplace_back("steps");
  const bool labels = has_labels(sweep);
  if (labels) all[0].emplace_back("label");
  for (const SweepRow& row : sweep.rows) {
    std::vector<std::string> cells = settings_cells(row);
    for (const auto& [measure, other] : pairs) add_cells(row, measure, other, seeds, cells);
    cells.push_back(steps_text(row));
    if (labels) cells.push_back(row.label);
    all.push_back(std::move(cells));
  }
  return all;
}

std::string sweep_text(const Sweep& sweep, const Terminal& terminal) {
  std::string text;
  if (!has_seeds(sweep)) {
    text = aligned(sweep_cells(sweep), terminal);
  } else {
    for (const auto& [measure, other] : measure_pairs(sweep))
      text += (text.empty() ? "" : "\n") +
              measure_text(sweep, measure, other, !measure.is_share, terminal);
  }
  const int best = best_row(sweep);
  if (best >= 0 && sweep.rows.size() > 1)
    text += wrapped("best: " + in_words(sweep.rows[static_cast<std::size_t>(best)].settings),
                    terminal.width);
  return text;
}

Json sweep_page_json(const Sweep& sweep) {
  Json table = Json::array(), names = Json::array(), charts = Json::array();
  for (const std::vector<std::string>& row : sweep_cells(sweep)) table.push_back(row);
  for (const SweepRow& row : sweep.rows) names.push_back(in_words(row.settings));
  for (const Measure& measure : measures(sweep.has_answers, sweep.by))
    charts.push_back(chart_json(sweep, measure));
  const int best = best_row(sweep);
  Json runs = Json::array();
  for (const SweepRow& row : sweep.rows) {
    Json all = Json::array();
    for (std::size_t i = 0; i < row.outcomes.size(); ++i) {
      const std::uint64_t seed = sweep.first_seed + i;
      all.push_back({{"seed", seed}, {"folder", run_name(row.settings, seed)}});
    }
    runs.push_back(std::move(all));
  }
  return {{"task", sweep.task},
          {"by", name_of(sweep.by)},
          {"best", best < 0 ? Json() : Json(best)},
          {"ranking", ranking(sweep)},
          {"names", std::move(names)},
          {"runs", std::move(runs)},
          {"charts", std::move(charts)},
          {"table", std::move(table)}};
}

}  // namespace tapehead
