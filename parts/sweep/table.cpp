#include "table.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/watch/timing.hpp"
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
/// Formats a mean and its margin, as in `0.5 ± 0.1`; only the mean without a margin.
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

/// Returns the median number of steps, or the step at which the row's runs were stopped or
/// diverged.
std::string steps_text(const SweepRow& row) {
  const std::vector<TrainOutcome>& all = row.outcomes;
  std::vector<Index> at;
  std::vector<double> steps;
  for (const TrainOutcome& outcome : all) {
    steps.push_back(static_cast<double>(outcome.steps));
    if (has_diverged(outcome)) at.push_back(outcome.steps);
  }
  const std::string stopped = row.stopped > 0 ? fmt::format("stopped at {}", row.stopped) : "";
  if (at.empty()) return !stopped.empty() ? stopped : fmt::format("{:.0f}", median(steps));
  const auto [first, last] = std::minmax_element(at.begin(), at.end());
  return fmt::format("{}diverged {} step {}{}",
                     all.size() > 1 ? fmt::format("{} of {} ", at.size(), all.size()) : "",
                     *first == *last ? "at" : "from", *first,
                     stopped.empty() ? "" : ", " + stopped);
}

bool has_seeds(const Sweep& sweep) { return sweep.rows.at(0).outcomes.size() > 1; }

std::string name_with_by(const Measure& measure) {
  return fmt::format("{} {}", name_of(measure.by), measure.name);
}

using MeasurePair = std::pair<Measure, Measure>;

/// Adds the column names of add_cells; `median` is the first one.
void add_heads(const std::string& median, const Measure& other, bool seeds,
               std::vector<std::string>& head) {
  head.push_back(median);
  if (seeds) head.insert(head.end(), {"worst", "mean ± 95 %", "deviation"});
  head.emplace_back(name_of(other.by));
}
/// Adds the medians of the pair's two measures. With several seeds, adds the worst value, the mean
/// and the deviation of the first measure between them.
void add_cells(const SweepRow& row, const MeasurePair& pair, bool seeds,
               std::vector<std::string>& cells) {
  const auto& [measure, other] = pair;
  const Spread spread = tapehead::spread(row, measure);
  cells.push_back(shown(spread.median, measure));
  if (seeds) {
    cells.push_back(shown(spread.worst, measure));
    cells.push_back(shown_mean(spread.mean, measure));
    cells.push_back(shown_deviation(spread.mean.deviation, measure));
  }
  cells.push_back(shown(tapehead::spread(row, other).median, other));
}

/// Returns a table of these measures; its first row has the column names. With `names_measures`,
/// the names include the measure. `with_steps` adds columns with the steps and labels.
std::vector<std::vector<std::string>> cells_of(const Sweep& sweep,
                                               const std::vector<MeasurePair>& pairs,
                                               bool names_measures, bool with_steps) {
  const bool seeds = has_seeds(sweep), with_labels = with_steps && has_labels(sweep);
  std::vector<std::string> head;
  for (const auto& setting : sweep.rows.at(0).settings) head.push_back(setting.first);
  for (const auto& [measure, other] : pairs)
    add_heads(names_measures ? name_with_by(measure) : "median", other, seeds, head);
  if (with_steps) head.emplace_back("steps");
  if (with_labels) head.emplace_back("label");
  std::vector<std::vector<std::string>> all = {std::move(head)};
  for (const SweepRow& row : sweep.rows) {
    std::vector<std::string> cells;
    for (const auto& setting : row.settings) cells.push_back(visible(setting.second));
    for (const MeasurePair& pair : pairs) add_cells(row, pair, seeds, cells);
    if (with_steps) cells.push_back(steps_text(row));
    if (with_labels) cells.push_back(row.label);
    all.push_back(std::move(cells));
  }
  return all;
}

const char* accuracy_name(const Sweep& sweep) {
  return sweep.has_answers ? "exact match" : "tokens right";
}

std::string aligned(std::vector<std::vector<std::string>> cells, const Terminal& terminal) {
  Table table(std::vector<Table::Align>(cells[0].size(), Table::Align::right));
  for (std::vector<std::string>& row : cells) table.add(std::move(row));
  return table.text(terminal.width);
}

/// Returns a row's mean accuracy and the ends of its interval at a length; empty if unknown.
std::vector<double> at_length(const SweepRow& row, double length) {
  const LengthCurve& curve = row.by_length;
  const auto found = std::find(curve.lengths.begin(), curve.lengths.end(), length);
  if (found == curve.lengths.end()) return {};
  const auto i = static_cast<std::size_t>(found - curve.lengths.begin());
  if (curve.low.empty()) return {curve.values[i]};
  return {curve.values[i], curve.low[i], curve.high[i]};
}

/// Returns a table of accuracy at some of the lengths; empty if no row has any.
std::string text_by_length(const Sweep& sweep, const Terminal& terminal) {
  constexpr std::size_t most = 6;
  const std::vector<double> lengths = some_lengths(lengths_of(sweep), most);
  if (lengths.empty()) return "";
  std::vector<std::string> head;
  for (const auto& setting : sweep.rows.at(0).settings) head.push_back(setting.first);
  for (const double length : lengths) head.push_back(fmt::format("{:.0f}", length));
  std::vector<std::vector<std::string>> all = {std::move(head)};
  for (const SweepRow& row : sweep.rows) {
    std::vector<std::string> cells;
    for (const auto& setting : row.settings) cells.push_back(visible(setting.second));
    for (const double length : lengths) {
      const std::vector<double> values = at_length(row, length);
      cells.push_back(values.empty() ? none : percent(values[0]));
    }
    all.push_back(std::move(cells));
  }
  return fmt::format("\n{} by length{}\n", accuracy_name(sweep),
                     has_seeds(sweep)
                         ? fmt::format(", mean over {} seeds", sweep.rows[0].outcomes.size())
                         : "") +
         aligned(std::move(all), terminal);
}

/// Returns chart data: the results, median and mean of each combination.
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
  return cells_of(sweep, measure_pairs(sweep), true, true);
}

std::string sweep_text(const Sweep& sweep, const Terminal& terminal) {
  std::string text;
  if (!has_seeds(sweep)) {
    text = aligned(sweep_cells(sweep), terminal);
  } else {
    for (const MeasurePair& pair : measure_pairs(sweep))  // one table per metric
      text += fmt::format("{}{} over {} seeds\n", text.empty() ? "" : "\n",
                          name_with_by(pair.first), sweep.rows[0].outcomes.size()) +
              aligned(cells_of(sweep, {pair}, false, !pair.first.is_share), terminal);
  }
  text += text_by_length(sweep, terminal);
  const int best = best_row(sweep);
  if (best >= 0 && sweep.rows.size() > 1)
    text += wrapped("best: " + settings_text(sweep.rows[static_cast<std::size_t>(best)].settings),
                    terminal.width);
  return text;
}

Json sweep_page_json(const Sweep& sweep) {
  Json table = Json::array(), names = Json::array(), charts = Json::array();
  for (const std::vector<std::string>& row : sweep_cells(sweep)) table.push_back(row);
  for (const SweepRow& row : sweep.rows) names.push_back(settings_text(row.settings));
  for (const Measure& measure : measures(sweep.has_answers, sweep.by))
    charts.push_back(chart_json(sweep, measure));
  Json by_length = Json::array();
  for (const SweepRow& row : sweep.rows) by_length.push_back(to_json(row.by_length));
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
          {"by_length", std::move(by_length)},
          {"table", std::move(table)}};
}

namespace {

using Cells = std::vector<std::string>;

/// Formats a row of a Markdown table, as in `| a | b |`.
std::string bar_line(const Cells& cells) {
  Cells escaped;
  for (std::string text : cells) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at, 1, '\\');
    escaped.push_back(text);
  }
  return fmt::format("| {} |\n", fmt::join(escaped, " | "));
}

std::string in_latex(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      result += fmt::format("\\{}{{}}", c);
    else if (std::string("#$%&_{}").find(c) != std::string::npos)
      result += fmt::format("\\{}", c);
    else
      result += c;
  }
  return result;
}

std::string number_in_latex(double value, const Measure& measure) {
  if (!std::isfinite(value)) return "--";
  return measure.is_share ? fmt::format("{:.2f}", 100 * value) : fmt::format("{:.4f}", value);
}
std::string name_in_latex(const Measure& measure) {
  return fmt::format("{} {}{}", name_of(measure.by), measure.name,
                     measure.is_share ? " (\\%)" : "");
}

/// Returns the median number of steps of the runs that didn't diverge; `--` if all did.
std::string steps_in_latex(const SweepRow& row) {
  std::vector<Index> steps;
  for (const TrainOutcome& outcome : row.outcomes)
    if (!has_diverged(outcome)) steps.push_back(outcome.steps);
  std::sort(steps.begin(), steps.end());
  return steps.empty() ? "--" : fmt::format("{}", steps[steps.size() / 2]);
}

}  // namespace

std::string sweep_csv(const Sweep& sweep) {
  Cells head;
  for (const auto& setting : sweep.rows.at(0).settings) head.push_back(csv_cell(setting.first));
  head.insert(head.end(), {"runs", "diverged", "given_up_at"});
  std::vector<Measure> all;
  for (const auto& [measure, other] : measure_pairs(sweep)) {
    all.push_back(measure);
    all.push_back(other);
  }
  for (const Measure& measure : all)
    for (const char* what : {"median", "worst", "mean", "deviation", "margin"})
      head.push_back(fmt::format("{}_{}", measure.key, what));
  const std::vector<double> lengths = lengths_of(sweep);
  for (const double length : lengths)
    for (const char* what : {"", "_low", "_high"})
      head.push_back(fmt::format("{}_at_{:.0f}{}",
                                 sweep.has_answers ? "exact_match" : "tokens_right", length, what));
  const bool labels = has_labels(sweep);
  if (labels) head.emplace_back("label");
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (const SweepRow& row : sweep.rows) {
    Cells cells;
    for (const auto& setting : row.settings) cells.push_back(csv_cell(setting.second));
    cells.push_back(fmt::format("{}", row.outcomes.size()));
    cells.push_back(
        fmt::format("{}", std::count_if(row.outcomes.begin(), row.outcomes.end(), has_diverged)));
    cells.push_back(row.stopped > 0 ? fmt::format("{}", row.stopped) : "");
    for (const Measure& measure : all) {
      const Spread spread = tapehead::spread(row, measure);
      for (const double value : {spread.median, spread.worst, spread.mean.mean,
                                 spread.mean.deviation, spread.mean.margin})
        cells.push_back(csv_cell(value));
    }
    for (const double length : lengths) {
      const std::vector<double> values = at_length(row, length);
      for (std::size_t i = 0; i < 3; ++i)
        cells.push_back(i < values.size() ? csv_cell(values[i]) : "");
    }
    if (labels) cells.push_back(csv_cell(row.label));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string sweep_markdown(const Sweep& sweep) {
  const std::vector<Cells> all = sweep_cells(sweep);
  Cells rule(all[0].size(), "---:");
  std::string text = bar_line(all[0]) + bar_line(rule);
  for (std::size_t i = 1; i < all.size(); ++i) text += bar_line(all[i]);
  return text;
}

std::string sweep_latex(const Sweep& sweep) {
  const std::vector<Measure> all = measures(sweep.has_answers, sweep.by);
  const std::size_t settings = sweep.rows.at(0).settings.size();
  const std::size_t seeds = sweep.rows[0].outcomes.size();
  const std::size_t each = seeds > 1 ? 3 : 1;  // columns per metric
  std::string text = seeds > 1 ? fmt::format(
                                     "% Over {} seeds: the mean with its 95 % confidence interval "
                                     "(Student's t), the median, and the worst.\n",
                                     seeds)
                               : "";
  text += fmt::format("% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{}}}\n  \\toprule\n",
                      std::string(settings + each * all.size() + 1, 'r'));
  Cells over(settings, ""), head;
  std::string rules;
  for (const auto& setting : sweep.rows[0].settings) head.push_back(in_latex(setting.first));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = name_in_latex(all[i]);
    if (seeds == 1) {
      head.push_back(name);
      continue;
    }
    const std::size_t first = settings + each * i + 1;
    over.push_back(fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", each, name));
    rules += fmt::format(" \\cmidrule(lr){{{}-{}}}", first, first + each - 1);
    head.insert(head.end(), {"mean", "median", "worst"});
  }
  head.emplace_back("steps");
  over.emplace_back("");
  if (seeds > 1) text += fmt::format("  {} \\\\\n {}\n", fmt::join(over, " & "), rules);
  text += fmt::format("  {} \\\\\n  \\midrule\n", fmt::join(head, " & "));
  for (const SweepRow& row : sweep.rows) {
    Cells cells;
    for (const auto& setting : row.settings) cells.push_back(in_latex(setting.second));
    for (const Measure& measure : all) {
      const Spread spread = tapehead::spread(row, measure);
      if (seeds > 1) {
        const std::string mean = number_in_latex(spread.mean.mean, measure);
        cells.push_back(mean == "--" ? mean
                                     : fmt::format("${} \\pm {}$", mean,
                                                   number_in_latex(spread.mean.margin, measure)));
      }
      cells.push_back(number_in_latex(spread.median, measure));
      if (seeds > 1) cells.push_back(number_in_latex(spread.worst, measure));
    }
    cells.push_back(steps_in_latex(row));
    text += fmt::format("  {} \\\\\n", fmt::join(cells, " & "));
  }
  return text + "  \\bottomrule\n\\end{tabular}\n";
}

const std::vector<SweepFormat>& sweep_formats() {
  static const std::vector<SweepFormat> all = {
      {"text", sweep_text},
      {"csv", [](const Sweep& sweep, const Terminal&) { return sweep_csv(sweep); }},
      {"latex", [](const Sweep& sweep, const Terminal&) { return sweep_latex(sweep); }},
      {"markdown", [](const Sweep& sweep, const Terminal&) { return sweep_markdown(sweep); }},
  };
  return all;
}

}  // namespace tapehead
