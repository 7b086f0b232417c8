#include "eval_lengths.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/config/options.hpp"
#include "../../train/data/mixed_lengths.hpp"
#include "../../train/files/message.hpp"
#include "../../train/watch/statistics.hpp"
#include "../terminal/evaluation_text.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress_line.hpp"
#include "lengths.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index usual_examples = 200;

/// The results of all runs at one length.
struct Row {
  Index length = 0, examples = 0;
  std::vector<double> exact_match, tokens_right, loss;  // by run
  Interval interval;                                    // 95 %, of the mean exact match
};

/// Returns the interval over the examples of a single run, or else over the runs.
Interval interval_of(const Row& row) {
  if (row.exact_match.size() == 1) return exact_match_interval(row.exact_match[0], row.examples);
  const Mean over_runs = mean_of(row.exact_match);
  return {std::max(over_runs.mean - over_runs.margin, 0.0),
          std::min(over_runs.mean + over_runs.margin, 1.0)};
}

/// Throws UsageError if the runs differ in more than their seed.
void require_same(const std::vector<LoadedRun>& runs, const std::vector<std::string>& paths,
                  const Registry& registry) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const TrainConfig &first = runs[0].config, &other = runs[i].config;
    std::string differing = first.task == other.task ? "" : "task";
    if (differing.empty())
      for (const Option& option : differences(first, other, registry))
        if (option.name != "seed") differing = "--" + option.name;
    if (!differing.empty())
      throw UsageError(
          "--lengths averages runs that differ only in --seed, but {} and {} differ in {}; "
          "evaluate them separately",
          paths[0], paths[i], differing);
  }
}

std::vector<Row> rows_of(const std::vector<LoadedRun>& runs, const std::vector<Index>& lengths,
                         const EvalLengths& arguments, const Session& session) {
  Terminal terminal = session.terminal;
  terminal.live = terminal.live && !arguments.json;
  ProgressLine line(terminal, "evaluating by length");
  std::vector<Row> rows(lengths.size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const auto results = evaluate_lengths(
        runs[run], lengths, arguments.examples > 0 ? arguments.examples : usual_examples,
        session.registry, "--lengths " + arguments.lengths, [&](double fraction) {
          if (StopSignals::stop) throw Error("eval --lengths: interrupted");  // in a study
          line((static_cast<double>(run) + fraction) / static_cast<double>(runs.size()));
        });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Evaluation& result = results[i].evaluation;
      rows[i].length = results[i].length;
      rows[i].examples = result.examples;
      rows[i].exact_match.push_back(result.exact_match);
      rows[i].tokens_right.push_back(result.all_positions().share());
      rows[i].loss.push_back(result.loss);
    }
  }
  for (Row& row : rows) row.interval = interval_of(row);
  return rows;
}

/// The means over the trained lengths, or over longer ones.
struct Summary {
  Index lengths = 0;
  double exact_match = 0, tokens_right = 0;
};
Summary summary_of(const std::vector<Row>& rows, const std::function<bool(Index)>& counts) {
  Summary sum;
  for (const Row& row : rows)
    if (counts(row.length)) {
      ++sum.lengths;
      sum.exact_match += mean(row.exact_match);
      sum.tokens_right += mean(row.tokens_right);
    }
  if (sum.lengths == 0) return sum;
  return {sum.lengths, sum.exact_match / static_cast<double>(sum.lengths),
          sum.tokens_right / static_cast<double>(sum.lengths)};
}

std::vector<std::pair<const char*, Summary>> summaries_of(const std::vector<Row>& rows,
                                                          const TrainedLengths& trained) {
  const auto is_trained = [&](Index length) {
    return std::binary_search(trained.lengths.begin(), trained.lengths.end(), length);
  };
  return {{"trained", summary_of(rows, is_trained)},
          {"longer", summary_of(rows, [&](Index n) { return n > trained.lengths.back(); })}};
}

Json rows_json(const std::vector<Row>& rows, bool has_answers) {
  Json all = Json::array();
  for (const Row& row : rows) {
    Json json = {{"length", row.length}, {"examples", row.examples}};
    if (has_answers) {
      json["exact_match"] = mean(row.exact_match);
      json["interval"] = std::vector<double>{row.interval.low, row.interval.high};
    }
    json["tokens_right"] = mean(row.tokens_right);
    json["loss"] = mean(row.loss);
    if (row.loss.size() > 1 && has_answers) json["exact_match_of_runs"] = row.exact_match;
    if (row.loss.size() > 1) json["tokens_right_of_runs"] = row.tokens_right;
    all.push_back(std::move(json));
  }
  return all;
}

std::string table_of(const std::vector<Row>& rows, const std::string& option, bool has_answers,
                     const Terminal& terminal) {
  const bool several = rows[0].loss.size() > 1;
  std::vector<std::string> names = {option};
  if (has_answers) names.insert(names.end(), {several ? "mean" : "exact match", "95 % interval"});
  if (has_answers && several) names.insert(names.end(), {"lowest", "highest"});
  names.insert(names.end(), {"tokens right", "loss"});
  Table table(std::vector<Table::Align>(names.size(), Table::Align::right));
  table.add(names);
  for (const Row& row : rows) {
    std::vector<std::string> cells = {grouped(row.length)};
    if (has_answers) {
      cells.push_back(percent(mean(row.exact_match)));
      cells.push_back(
          fmt::format("{:.1f} to {:.1f} %", 100 * row.interval.low, 100 * row.interval.high));
      const auto [low, high] = std::minmax_element(row.exact_match.begin(), row.exact_match.end());
      if (several) cells.insert(cells.end(), {percent(*low), percent(*high)});
    }
    cells.push_back(percent(mean(row.tokens_right)));
    cells.push_back(fmt::format("{:.4f}", mean(row.loss)));
    table.add(cells);
  }
  return table.text(terminal.width);
}

std::string joined_paths(const std::vector<std::string>& runs) {
  return runs.size() == 1 ? visible(runs[0]) : plural(runs.size(), "run");
}

}  // namespace

void eval_by_length(const EvalLengths& arguments, const Session& session) {
  const std::vector<Index> lengths = parse_lengths(arguments.lengths);
  std::vector<LoadedRun> runs;
  for (const std::string& path : arguments.runs)
    runs.push_back(
        load_run(path, session.registry, arguments.data, arguments.checkpoint, arguments.weights));
  require_same(runs, arguments.runs, session.registry);
  const LoadedRun& first = runs[0];
  const TrainedLengths trained =
      trained_lengths(first.config, session.registry, "--lengths " + arguments.lengths);
  const std::vector<Row> rows = rows_of(runs, lengths, arguments, session);
  const bool has_answers = first.task->has_answers(), several = runs.size() > 1;
  const std::string note = length_note(first, trained, "other lengths");
  if (arguments.json) {
    Json document = {{"task", first.config.task}, {"option", trained.option}};
    document["trained"] = trained.text;
    document["runs"] = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i)
      document["runs"].push_back({{"run", arguments.runs[i]}, {"step", runs[i].steps}});
    document["interval_over"] = several ? "runs" : "examples";
    document["lengths"] = rows_json(rows, has_answers);
    for (const auto& [name, mean] : summaries_of(rows, trained)) {
      if (mean.lengths == 0) continue;
      document["mean"][name] = {{"lengths", mean.lengths}, {"tokens_right", mean.tokens_right}};
      if (has_answers) document["mean"][name]["exact_match"] = mean.exact_match;
    }
    if (!note.empty()) document["note"] = note;
    return print_json(document);
  }
  put("{}",
      wrapped(session.terminal.width, "{}{} · {} validation examples per length · trained on {}",
              joined_paths(arguments.runs), several ? "" : fmt::format(" · step {}", first.steps),
              grouped(rows[0].examples), trained.text));
  put("{}", table_of(rows, trained.option, has_answers, session.terminal));
  for (const auto& [name, mean] : summaries_of(rows, trained)) {
    if (mean.lengths == 0) continue;
    put("{}", wrapped(session.terminal.width, "mean of {} {}: {}tokens right {}", mean.lengths,
                      fmt::format("{} length{}", name, mean.lengths == 1 ? "" : "s"),
                      has_answers ? fmt::format("exact match {}, ", percent(mean.exact_match)) : "",
                      percent(mean.tokens_right)));
  }
  if (several && has_answers)
    put("{}", wrapped("the interval is over the runs, by Student's t", session.terminal.width));
  if (!note.empty()) put("{}", wrapped("note: " + note, session.terminal.width));
}

}  // namespace tapehead
