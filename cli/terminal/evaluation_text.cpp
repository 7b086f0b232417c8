#include "evaluation_text.hpp"
#include "../../train/files/json.hpp"
#include "answer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {
namespace {

constexpr std::size_t most_rows = 16;     // rows of positions
constexpr std::size_t most_mistakes = 8;  // mistakes shown
using Count = Evaluation::Count;

/// Adds up the counts of positions `first` to `end` - 1, ignoring positions that don't exist.
Count together(const std::vector<Count>& positions, std::size_t first, std::size_t end) {
  Count sum;
  for (std::size_t i = first; i < std::min(end, positions.size()); ++i) {
    sum.targets += positions[i].targets;
    sum.right += positions[i].right;
  }
  return sum;
}

std::string share(const Count& count) {
  return count.targets > 0 ? percent(count.share()) : std::string();
}

/// Adds a row for each position, counted from 1, or for each group of positions.
void add_positions(Table& table, const std::vector<const Evaluation*>& evaluations) {
  std::size_t most = 0;
  for (const Evaluation* e : evaluations) most = std::max(most, e->positions.size());
  const std::size_t each = (most + most_rows - 1) / most_rows;
  for (std::size_t first = 0; first < most; first += each) {
    const std::size_t end = std::min(first + each, most);
    std::vector<std::string> cells = {end == first + 1
                                          ? fmt::format("position {}", end)
                                          : fmt::format("positions {}-{}", first + 1, end)};
    for (const Evaluation* e : evaluations)
      cells.push_back(share(together(e->positions, first, end)));
    table.add(cells);
  }
}

using ByLength = std::map<Index, Evaluation::OfLength>;

/// Formats a row for each length, or for each range of lengths if there are many.
std::string lengths_text(const char* half, const ByLength& lengths, bool has_answers,
                         const Terminal& terminal) {
  constexpr auto right = Table::Align::right;
  Table table(std::vector<Table::Align>(has_answers ? 4 : 3, right));
  if (has_answers)
    table.add({"tokens", "examples", "exact match", "tokens right"});
  else
    table.add({"tokens", "examples", "tokens right"});
  const Index each = (static_cast<Index>(lengths.size()) + most_rows - 1) / most_rows;
  for (auto first = lengths.begin(); first != lengths.end();) {
    Evaluation::OfLength sum;
    auto last = first, next = first;
    for (Index i = 0; i < each && next != lengths.end(); ++i, last = next++) sum.add(next->second);
    const auto range = first == last ? fmt::format("{}", first->first)
                                     : fmt::format("{}-{}", first->first, last->first);
    std::vector<std::string> cells = {range, grouped(sum.examples)};
    if (has_answers) cells.push_back(percent(sum.exact_match()));
    cells.push_back(share(sum.tokens));
    table.add(cells);
    first = next;
  }
  return fmt::format("by {} length\n", half) + table.text(terminal.width, 2);
}

}  // namespace

std::string by_length_text(const Evaluation& evaluation, const Task& task,
                           const Terminal& terminal) {
  std::string text;
  if (task.has_answers()) text += lengths_text("source", evaluation.by_source, true, terminal);
  if (!task.has_answers() || evaluation.by_target.size() > 1)
    text += lengths_text(task.has_answers() ? "target" : "text", evaluation.by_target,
                         task.has_answers(), terminal);
  return text;
}

Json by_length_json(const Evaluation& evaluation, const Task& task) {
  const auto rows = [&](const ByLength& lengths) {
    Json all = Json::array();
    for (const auto& [length, counts] : lengths) {
      Json row = {{"length", length}, {"examples", counts.examples}};
      if (task.has_answers()) row["exact_match"] = counts.exact_match();
      row["tokens_right"] = counts.tokens.share();
      all.push_back(std::move(row));
    }
    return all;
  };
  Json json = {{"target", rows(evaluation.by_target)}};
  if (task.has_answers()) json["source"] = rows(evaluation.by_source);
  return json;
}

std::string comparison_text(const std::vector<NamedEvaluation>& evaluations, const Task& task,
                            const Terminal& terminal) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  std::vector<Table::Align> columns = {left};
  std::vector<std::string> names = {""}, exact = {"exact match"}, loss = {"loss"},
                           all = {"tokens right"};
  std::vector<const Evaluation*> results;
  for (const auto& [name, result] : evaluations) {
    columns.push_back(right);
    names.push_back(name);
    exact.push_back(percent(result.exact_match));
    loss.push_back(fmt::format("{:.4f}", result.loss));
    all.push_back(share(result.all_positions()));
    results.push_back(&result);
  }
  Table table(columns);
  table.add(names);
  if (task.has_answers()) table.add(exact);
  table.add(loss);
  table.add(all);
  add_positions(table, results);
  return table.text(terminal.width);
}

bool has_many_repetitions(Index different, Index examples) {
  return 10 * different <= 9 * examples;
}

std::string loss_text(const Evaluation& evaluation) {
  return fmt::format("{} {:.4f}{}{}{}", evaluation.loss_name, evaluation.loss,
                     evaluation.unit.empty() ? "" : " ", evaluation.unit,
                     evaluation.bits_per_byte > 0
                         ? fmt::format(", {:.4f} bits per byte", evaluation.bits_per_byte)
                         : "");
}

std::string places_text(const Evaluation& evaluation, const TaskModel& model,
                        const Terminal& terminal) {
  const Count all = evaluation.all_positions();
  if (all.targets == 0) return "";
  const std::string text =
      wrapped(terminal.width, "tokens right {} of {}{}", share(all), grouped(all.targets),
              model.arch == "encoder" || model.options.pooled ? "" : " (teacher forcing)");
  if (all.right == all.targets || evaluation.positions.size() < 2) return text;
  Table table({Table::Align::left, Table::Align::right});
  add_positions(table, {&evaluation});
  return text + table.text(terminal.width, 2);
}

std::string curves_text(const AnswerCurves& curves, const Terminal& terminal) {
  if (curves.lines.empty()) return "";
  std::vector<std::string> names = {curves.axis};
  for (const AnswerCurves::Line& line : curves.lines) names.push_back(line.name);
  Table table(std::vector<Table::Align>(names.size(), Table::Align::right));
  table.add(names);
  const std::size_t count = curves.lines.front().values.size();
  for (std::size_t i = 0; i < count; i += (count + most_rows - 1) / most_rows) {
    std::vector<std::string> cells = {fmt::format("{}", i)};
    for (const AnswerCurves::Line& line : curves.lines)
      cells.push_back(fmt::format("{:.4f}", line.values[i]));
    table.add(cells);
  }
  return curves.quantity + "\n" + table.text(terminal.width, 2);
}

std::string mistakes_text(const Evaluation& evaluation, const Task& task,
                          const Terminal& terminal) {
  struct Mistake {
    int right, predicted;
    Index times;
  };
  std::vector<Mistake> mistakes;
  std::map<int, Index> asked;
  for (const auto& [pair, times] : evaluation.confusions) {
    asked[pair.first] += times;
    if (pair.first != pair.second) mistakes.push_back({pair.first, pair.second, times});
  }
  if (mistakes.empty()) return "";
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return a.times > b.times; });
  mistakes.resize(std::min(mistakes.size(), most_mistakes));

  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({left, left, right, right});
  table.add({"right", "predicted", "times", "of that token"});
  for (const Mistake& each : mistakes)
    table.add({token_name(task, each.right), token_name(task, each.predicted), grouped(each.times),
               percent(static_cast<double>(each.times) / static_cast<double>(asked[each.right]))});
  return "most frequent mistakes\n" + table.text(terminal.width, 2);
}

Json to_json(const Evaluation& evaluation, const Task& task, Json document) {
  document["examples"] = evaluation.examples;
  document["loss"] = evaluation.loss;
  document["loss_name"] = evaluation.loss_name;
  document["unit"] = evaluation.unit;
  if (evaluation.bits_per_byte > 0) document["bits_per_byte"] = evaluation.bits_per_byte;
  if (task.has_answers()) document["exact_match"] = evaluation.exact_match;
  for (const auto& [name, value] : evaluation.metrics) document["metrics"][name] = value;
  if (task.has_curves()) document["curves"] = to_json(evaluation.curves);
  document["tokens_right"] = evaluation.all_positions().share();
  document["positions"] = Json::array();
  for (std::size_t i = 0; i < evaluation.positions.size(); ++i) {
    const Count& count = evaluation.positions[i];
    document["positions"].push_back({{"position", i + 1},
                                     {"asked", count.targets},
                                     {"right", count.right},
                                     {"share", count.share()}});
  }
  document["confusion"] = Json::array();
  for (const auto& [pair, times] : evaluation.confusions)
    document["confusion"].push_back({{"right", task.show({pair.first})},
                                     {"predicted", task.show({pair.second})},
                                     {"times", times}});
  return document;
}

}  // namespace tapehead
