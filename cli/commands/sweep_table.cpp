#include "sweep_table.hpp"
#include "../../train/runs/json.hpp"
#include "../../train/starts_with.hpp"
#include "../../train/watch/median.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tapehead {
namespace {

/// The values of one result over the seeds, in ascending order.
template <class Figure>
std::vector<double> sorted(const SweepRow& row, const Figure& figure) {
  std::vector<double> values;
  for (const TrainOutcome& outcome : row.outcomes) values.push_back(figure(outcome));
  std::sort(values.begin(), values.end());
  return values;
}

bool has_diverged(const TrainOutcome& outcome) { return !std::isfinite(outcome.evaluation.loss); }
/// As bad as can be, where the run diverged.
double loss_of(const TrainOutcome& outcome) {
  return has_diverged(outcome) ? infinity : outcome.evaluation.loss;
}
double match_of(const TrainOutcome& outcome) {
  return has_diverged(outcome) ? -infinity : outcome.evaluation.exact_match;
}
double steps_of(const TrainOutcome& outcome) { return static_cast<double>(outcome.steps); }

/// One chart: the results of each combination, and their median.
template <class Figure>
Json chart_json(const char* measure, const std::vector<SweepRow>& rows, const Figure& figure) {
  Json combinations = Json::array();
  for (const SweepRow& row : rows) {
    const std::vector<double> values = sorted(row, figure);
    combinations.push_back({{"results", values}, {"median", median(values)}});
  }
  return {{"measure", measure}, {"combinations", std::move(combinations)}};
}

/// The median number of steps, or at which step runs diverged.
std::string steps_text(const SweepRow& row) {
  const std::vector<TrainOutcome>& all = row.outcomes;
  std::vector<Index> at;
  for (const TrainOutcome& outcome : all)
    if (has_diverged(outcome)) at.push_back(outcome.steps);
  if (at.empty()) return fmt::format("{:.0f}", median(sorted(row, steps_of)));
  const auto [first, last] = std::minmax_element(at.begin(), at.end());
  return fmt::format("{}diverged {} step {}",
                     all.size() > 1 ? fmt::format("{} of {} ", at.size(), all.size()) : "",
                     *first == *last ? "at" : "from", *first);
}

}  // namespace

Axis parse_axis(const std::string& text) {
  const auto equals = text.find('=');
  Axis axis{text.substr(0, equals), {}};
  if (starts_with(axis.option, "--")) axis.option.erase(0, 2);
  if (equals != std::string::npos)
    for (std::size_t from = equals + 1; from <= text.size();) {
      const std::size_t end = std::min(text.find(',', from), text.size());
      axis.values.push_back(text.substr(from, end - from));
      from = end + 1;
    }
  const bool empty = std::count(axis.values.begin(), axis.values.end(), "") > 0;
  if (axis.option.empty() || axis.values.empty() || empty)
    throw UsageError("--grid: expected an option and its values, lr=1e-3,3e-3, got '{}'", text);
  std::set<std::string> known;
  for (const std::string& value : axis.values)
    if (!known.insert(value).second) throw UsageError("--grid {}: {} is given twice", text, value);
  return axis;
}

std::vector<Settings> combinations(const std::vector<Axis>& axes) {
  std::vector<Settings> all = {{}};
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& settings : all)
      for (const std::string& value : axis.values) {
        longer.push_back(settings);
        longer.back().emplace_back(axis.option, value);
      }
    all = std::move(longer);
  }
  return all;
}

std::string run_name(const Settings& settings, std::uint64_t seed) {
  std::string name;
  for (const auto& [option, value] : settings) name += fmt::format("{}={},", option, value);
  name += fmt::format("seed={}", seed);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

TrainOutcome diverged_at(Index step) {
  TrainOutcome outcome;
  outcome.steps = step;
  outcome.evaluation.loss = infinity;
  return outcome;
}

std::vector<std::vector<std::string>> sweep_cells(const std::vector<SweepRow>& rows,
                                                  bool has_answers) {
  std::vector<std::vector<std::string>> all(1);
  std::vector<std::string>& head = all[0];
  for (const auto& setting : rows.at(0).settings) head.push_back(setting.first);
  if (has_answers) head.insert(head.end(), {"exact match", "worst"});
  head.insert(head.end(), {"held-out loss", "worst", "steps"});
  for (const SweepRow& row : rows) {
    std::vector<std::string> cells;
    for (const auto& setting : row.settings) cells.push_back(setting.second);
    if (has_answers) {
      const std::vector<double> matches = sorted(row, match_of);
      for (const double match : {median(matches), matches.front()})
        cells.push_back(std::isfinite(match) ? percent(match) : "–");
    }
    const std::vector<double> losses = sorted(row, loss_of);
    for (const double loss : {median(losses), losses.back()})
      cells.push_back(std::isfinite(loss) ? fmt::format("{:.4f}", loss) : "–");
    cells.push_back(steps_text(row));
    all.push_back(std::move(cells));
  }
  return all;
}

std::string sweep_table(const std::vector<SweepRow>& rows, bool has_answers,
                        const Terminal& terminal) {
  std::vector<std::vector<std::string>> cells = sweep_cells(rows, has_answers);
  Table table(std::vector<Table::Align>(cells[0].size(), Table::Align::right));
  for (std::vector<std::string>& row : cells) table.add(std::move(row));
  return table.text(terminal.width);
}

Json sweep_page_json(const std::vector<SweepRow>& rows, bool has_answers) {
  Json table = Json::array(), names = Json::array(), charts = Json::array();
  for (const std::vector<std::string>& row : sweep_cells(rows, has_answers)) table.push_back(row);
  for (const SweepRow& row : rows) {
    std::vector<std::string> settings;
    for (const auto& [option, value] : row.settings)
      settings.push_back(fmt::format("{} {}", option, visible(value)));
    names.push_back(fmt::format("{}", fmt::join(settings, " · ")));
  }
  if (has_answers) charts.push_back(chart_json("Exact match", rows, match_of));
  charts.push_back(chart_json("Held-out loss", rows, loss_of));
  return {{"names", std::move(names)}, {"charts", std::move(charts)}, {"table", std::move(table)}};
}

Json sweep_json(const std::vector<SweepRow>& rows, std::uint64_t first_seed, bool has_answers) {
  Json all = Json::array();
  for (const SweepRow& row : rows) {
    Json settings = Json::object(), runs = Json::array();
    for (const auto& [option, value] : row.settings) settings[option] = value;
    for (std::size_t i = 0; i < row.outcomes.size(); ++i) {
      const TrainOutcome& outcome = row.outcomes[i];
      Json run = {{"seed", first_seed + i},
                  {"folder", run_name(row.settings, first_seed + i)},
                  {"steps", outcome.steps}};
      if (has_diverged(outcome)) {
        run["diverged"] = true;
      } else {
        run["val_loss"] = outcome.evaluation.loss;
        if (has_answers) run["exact_match"] = outcome.evaluation.exact_match;
      }
      runs.push_back(std::move(run));
    }
    all.push_back({{"settings", std::move(settings)}, {"runs", std::move(runs)}});
  }
  return all;
}

}  // namespace tapehead
