#include "results.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/files/message.hpp"
#include "../../train/runs/diverged.hpp"
#include "../../train/runs/provenance.hpp"
#include "../../train/watch/statistics.hpp"
#include "../../train/watch/timing.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tapehead {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

StudyRun read_run(const SweepRun& planned) {
  StudyRun run;
  run.folder = planned.name;
  run.seed = planned.config.seed;
  run.diverged = divergence_reason(planned.config.out);
  double before = 0;  // seconds in the line before; they restart at 0 at a resumption
  for (const std::string& text : RunFolder::open(planned.config.out).read_metrics()) {
    run.lines.push_back(parse_json(text).value());
    const Json& line = std::as_const(run.lines).back();
    run.steps = line["step"].integer().value_or(0);
    if (const std::string& digest = line["digest"].string(); !digest.empty())
      run.weight_hash = digest;
    const double now = line["time"]["seconds"].number();
    if (std::isfinite(now)) run.seconds += now < before ? now : now - before;
    if (std::isfinite(now)) before = now;
  }
  return run;
}

/// Returns the names in a document that have a number or more names, for an error.
std::string names_in(const Json& document) {
  std::vector<std::string> names;
  for (const auto& [name, value] : document.members())
    if (value.is_number() || !value.items().empty() || !value.members().empty())
      names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Returns the names in the last line of metrics.jsonl.
std::string names_in(const std::vector<Json>& lines) {
  return lines.empty() ? "" : names_in(lines.back());
}

/// Returns why a run has no value of a measure.
std::string reason(const StudyMeasure& measure, const SweepRun& planned, const StudyRun& run,
                   CommandResults& commands) {
  if (measure.kind != StudyMeasure::Kind::command)
    return fmt::format("metrics.jsonl has no '{}', but {}", measure.key, names_in(run.lines));
  const std::string failure = commands.failure(measure.command);
  if (!failure.empty()) return fmt::format("{} failed for {}", measure.command, failure);
  const std::string names =
      names_in(commands.of(measure.command, planned.config.out, run.weight_hash));
  return fmt::format("the output of {} --json has no '{}'{}", measure.command, measure.key,
                     names.empty() ? "" : ", but " + names);
}

/// Throws FileError if no run has a value of a measure. If a command failed for some runs, prints
/// a note.
void check_measured(const StudyResults& results, CommandResults& commands) {
  for (std::size_t i = 0; i < results.study.measures.size(); ++i) {
    const StudyMeasure& measure = results.study.measures[i];
    bool found = results.runs.empty();
    for (const auto& row : results.runs)
      for (const StudyRun& run : row)
        found = found || !run.diverged.empty() || !std::isnan(run.values[i]);
    if (!found)
      throw FileError("{}: {}: {}", measure.place, measure.name,
                      reason(measure, results.plan.run(0, 0), results.runs[0][0], commands));
    if (const std::string failure = commands.failure(measure.command); !failure.empty())
      message(fmt::format("{}: {}: no value for some runs: {} failed for {}", measure.place,
                          measure.name, measure.command, failure));
  }
}

/// Throws FileError if no run recorded the metric of a figure.
void check_curves(const StudyResults& results) {
  for (const StudyFigure& figure : results.study.figures) {
    bool found = figure.curve.empty();
    const StudyRun* any = nullptr;
    for (std::size_t row = 0; row < results.runs.size(); ++row)
      if (is_row(results.plan.rows[row], figure.rows))
        for (const StudyRun& run : results.runs[row]) {
          any = &run;
          for (const Json& line : run.lines)
            found = found || !std::isnan(value_at(line, figure.curve));
        }
    if (!found && any && !any->lines.empty())
      throw FileError("{}: {}: metrics.jsonl has no '{}', but {}", figure.place, figure.title,
                      figure.curve, names_in(any->lines));
  }
}

/// Returns the version and the machine of a session.
std::string program_of(const Json& session) {
  const std::string numerics_text =
      numerics_of(session) ? fmt::format(", numerics {}", *numerics_of(session)) : "";
  return fmt::format("version {}{}, {}, on {}", session["version"].string(), numerics_text,
                     session["compiler"].string(), session["host"].string());
}

std::size_t index_of(const Study& study, const std::string& measure) {
  std::size_t index = 0;
  while (study.measures[index].name != measure) ++index;
  return index;
}

/// Returns the value of another row's measure; NaN if the row was skipped.
double other_value(const StudyResults& results, const StudyAnswer::Condition& condition) {
  const std::size_t measure = index_of(results.study, condition.other_measure);
  for (std::size_t row = 0; row < results.runs.size(); ++row)
    if (is_row(results.plan.rows[row], condition.other_row))
      return over_seeds(results.study.measures[measure], results.values(row, measure));
  return std::numeric_limits<double>::quiet_NaN();
}

/// Returns why a condition doesn't hold; empty if it holds.
std::string failure_of(const StudyResults& results, const StudyAnswer::Condition& condition) {
  const std::size_t index = index_of(results.study, condition.measure);
  const StudyMeasure& measure = results.study.measures[index];
  double bound = condition.bound;
  if (!condition.other_row.empty()) bound += other_value(results, condition);
  bool any = false;
  for (std::size_t row = 0; row < results.runs.size(); ++row) {
    const StudyRow& planned = results.plan.rows[row];
    if (!is_row(planned, condition.row)) continue;
    any = true;
    std::vector<double> values = results.values(row, index);
    if (!condition.every) values = {over_seeds(measure, values)};
    for (const double value : values)
      if (!compares(value, condition.op, bound))
        return fmt::format("{}: {} is {}, not {} {}", planned.name, measure.name,
                           shown_value(measure, value), condition.op, shown_value(measure, bound));
  }
  return any ? "" : fmt::format("no runs of {}", condition.row);
}

}  // namespace

std::vector<double> StudyResults::values(std::size_t row, std::size_t measure) const {
  std::vector<double> values;
  for (const StudyRun& run : runs[row]) values.push_back(run.values[measure]);
  return values;
}

double StudyResults::seconds() const {
  double sum = 0;
  for (const auto& row : runs)
    for (const StudyRun& run : row) sum += run.seconds;
  return sum;
}

StudyResults study_results(const Study& study, const StudyPlan& plan, bool quick,
                           Session& session) {
  StudyResults results{study, plan, quick, {}, {}};
  CommandResults commands(plan.out + "/measured.jsonl", session);
  std::set<std::string> programs;
  for (std::size_t row = 0; row < plan.rows.size(); ++row) {
    results.runs.emplace_back();
    for (std::size_t seed = 0; seed < plan.seeds; ++seed) {
      const SweepRun& planned = plan.run(row, seed);
      StudyRun& run = results.runs.back().emplace_back(read_run(planned));
      for (const Json& one : read_sessions(planned.config.out)) programs.insert(program_of(one));
      for (const StudyMeasure& measure : study.measures) {
        if (StopSignals::stop) return results;
        const bool reaches = measure.counts_steps();
        if (!run.diverged.empty())
          run.values.push_back(reaches ? infinite : std::nan(""));
        else if (measure.kind == StudyMeasure::Kind::command)
          run.values.push_back(value_at(
              commands.of(measure.command, planned.config.out, run.weight_hash), measure.key));
        else
          run.values.push_back(measured(measure, run.lines, planned.config.steps));
        if (measure.percent) run.values.back() *= 100;
      }
    }
  }
  check_measured(results, commands);
  check_curves(results);
  results.programs.assign(programs.begin(), programs.end());
  return results;
}

double over_seeds(const StudyMeasure& measure, const std::vector<double>& values) {
  std::vector<double> known;
  for (const double value : values)
    if (!std::isnan(value)) known.push_back(value);
  if (known.empty()) return std::nan("");
  switch (measure.over_seeds) {
    case StudyMeasure::OverSeeds::highest:
      return *std::max_element(known.begin(), known.end());
    case StudyMeasure::OverSeeds::lowest:
      return *std::min_element(known.begin(), known.end());
    case StudyMeasure::OverSeeds::mean:
      return mean(known);
    default:
      return median(known);
  }
}

std::string shown_value(const StudyMeasure& measure, double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return measure.counts_steps() ? "never" : "∞";
  constexpr double large = 10'000;
  if (measure.counts_steps() || std::abs(value) >= large)
    return grouped(static_cast<long long>(std::llround(value)));
  if (measure.percent) return fmt::format("{:.1f}", value);
  std::string text = fmt::format("{:#.4g}", value);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string shown_values(const StudyMeasure& measure, const std::vector<double>& values) {
  std::vector<double> known;
  for (const double value : values)
    if (std::isfinite(value)) known.push_back(value);
  const double whole = over_seeds(measure, values);
  if (known.empty()) return shown_value(measure, whole);
  // Of runs that don't all reach a bound, the median of those that do says more than `never`.
  std::string text =
      shown_value(measure, std::isfinite(whole) ? whole : over_seeds(measure, known));
  if (known.size() > 1) {
    const auto [low, high] = std::minmax_element(known.begin(), known.end());
    if (*low < *high)
      text += fmt::format(" ({} to {})", shown_value(measure, *low), shown_value(measure, *high));
  }
  if (known.size() < values.size())
    text += fmt::format(", {} of {} runs", known.size(), values.size());
  return text;
}

std::vector<StudyComparison> comparisons(const StudyResults& results) {
  std::vector<StudyComparison> all;
  for (const PublishedValues& published : results.study.published) {
    const std::size_t index = index_of(results.study, published.measure);
    for (const PublishedValues::Value& value : published.values)
      for (std::size_t row = 0; row < results.runs.size(); ++row)
        if (is_row(results.plan.rows[row], value.row))
          all.push_back({published.measure, results.plan.rows[row].name, published.source,
                         value.value, value.tolerance,
                         over_seeds(results.study.measures[index], results.values(row, index))});
  }
  return all;
}

std::vector<StudyConclusion> conclusions(const StudyResults& results) {
  std::vector<StudyConclusion> all;
  for (const StudyAnswer& answer : results.study.answers) {
    StudyConclusion& conclusion = all.emplace_back();
    conclusion.text = answer.text;
    for (const StudyAnswer::Condition& condition : answer.conditions)
      if (conclusion.why.empty()) conclusion.why = failure_of(results, condition);
  }
  return all;
}

}  // namespace tapehead
