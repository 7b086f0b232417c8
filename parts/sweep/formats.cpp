// The table of a sweep for other programs: CSV, Markdown and LaTeX.
#include "../../train/runs/csv.hpp"
#include "table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

using Cells = std::vector<std::string>;

/// A line, such as `| a | b |`.
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

/// The median number of the steps of runs that didn't diverge; `--` where most did.
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
  const std::size_t each = seeds > 1 ? 3 : 1;  // columns of a measure
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
