#include "table.hpp"
#include "../../train/config/options.hpp"
#include "../../train/runs/csv.hpp"
#include "date.hpp"
#include "query.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

std::string shown(const ShelfRun& run, const std::string& asked, const Terminal& terminal) {
  const std::string column = result_column(run, asked);
  const std::optional<Cell> cell = cell_of(run, column);
  if (!cell) return "–";
  if (column == "state") {
    const Style style = run.state == ShelfRun::State::done       ? Style::good
                        : run.state == ShelfRun::State::training ? Style::bold
                        : run.reason.empty()                     ? Style::dim
                                                                 : Style::bad;
    return paint(terminal, style, cell->text);
  }
  if (column == "step" && run.steps() > 0 && run.steps() != run.step)
    return fmt::format("{} of {}", run.step, run.steps());
  if (column == "time") return duration(*cell->number);
  if (column == "exact-match" || column == "best-exact-match") return percent(*cell->number);
  if (run.metrics.count(column) > 0 && run.options.count(column) == 0)
    return *cell->number == std::trunc(*cell->number) ? cell->text : fixed(*cell->number, 4);
  const bool is_prose = column == "note" || column == "reason";  // at the end, where it is wrapped
  return is_prose ? visible(cell->text) : shorten(visible(cell->text), 32);
}

bool is_text(const std::string& column) {
  for (const char* text : {"run", "state", "reason", "task", "name", "note", "tags", "digest",
                           "path", "version", "date"})
    if (column == text) return true;
  return false;
}

}  // namespace

std::vector<std::string> differing_options(const std::vector<ShelfRun>& runs,
                                           const Registry& registry) {
  std::map<std::string, std::map<std::string, std::string>> first;  // by task: of its first run
  std::set<std::string> differing;
  for (const ShelfRun& run : runs) {
    if (run.state == ShelfRun::State::foreign || run.options.empty()) continue;
    const auto [at, is_new] = first.try_emplace(run.task, run.options);
    if (is_new) continue;
    for (const auto& [name, value] : run.options) {
      const auto other = at->second.find(name);
      if (other == at->second.end() || other->second != value) differing.insert(name);
    }
    for (const auto& option : at->second)
      if (run.options.count(option.first) == 0) differing.insert(option.first);
  }
  std::vector<std::string> names;
  const auto take = [&](const std::vector<TrainOption>& options) {
    for (const TrainOption& option : options)
      if (option.effect == Effect::result && differing.erase(option.name) > 0)
        names.push_back(option.name);
  };
  for (const auto& task : first)
    if (std::any_of(registry.tasks().begin(), registry.tasks().end(),
                    [&](const TaskEntry& entry) { return entry.name == task.first; }))
      take(all_options(registry.find_task(task.first), registry));
  return names;
}

std::vector<std::string> table_columns(const std::vector<ShelfRun>& runs,
                                       const std::vector<std::string>& differing,
                                       std::size_t most) {
  std::vector<std::string> columns = {"run"};
  const auto any = [&](const auto& has) { return std::any_of(runs.begin(), runs.end(), has); };
  const auto differ = [&](std::string ShelfRun::*field) {
    return any([&](const ShelfRun& run) {
      return !(run.*field).empty() && run.*field != runs.front().*field;
    });
  };
  if (any([](const ShelfRun& run) { return !run.labels.name.empty(); })) columns.push_back("name");
  if (any([](const ShelfRun& run) { return !run.labels.tags.empty(); })) columns.push_back("tags");
  columns.push_back("state");
  if (differ(&ShelfRun::task)) columns.push_back("task");
  if (any([](const ShelfRun& run) {
        return !run.version.empty() && run.version != TAPEHEAD_VERSION;
      }))
    columns.push_back("version");
  columns.insert(columns.end(), differing.begin(),
                 differing.begin() + static_cast<std::ptrdiff_t>(std::min(most, differing.size())));
  columns.insert(columns.end(), {"last", "best", "step", "time", "digest"});
  if (any([](const ShelfRun& run) { return !run.labels.note.empty(); })) columns.push_back("note");
  if (any([](const ShelfRun& run) { return !run.reason.empty(); })) columns.push_back("reason");
  return columns;
}

std::vector<std::string> csv_columns(const std::vector<std::string>& differing) {
  std::vector<std::string> columns = {"run", "name", "tags", "state", "task", "version"};
  columns.insert(columns.end(), differing.begin(), differing.end());
  columns.insert(columns.end(), {"loss", "best-loss", "exact-match", "best-exact-match", "step",
                                 "time", "digest", "note", "reason"});
  return columns;
}

std::string to_text(const std::vector<ShelfRun>& runs, const std::vector<std::string>& columns,
                    const Terminal& terminal) {
  std::vector<Table::Align> aligned;
  for (const std::string& column : columns)
    aligned.push_back(is_text(column) ? Table::Align::left : Table::Align::right);
  Table table(aligned);
  table.add(columns);
  for (const ShelfRun& run : runs) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) cells.push_back(shown(run, column, terminal));
    table.add(std::move(cells));
  }
  return table.text(terminal.width);
}

std::string to_csv(const std::vector<ShelfRun>& runs, const std::vector<std::string>& columns) {
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (const std::string& column : columns) text += csv_cell(text_of(column)) + ",";
    text.back() = '\n';
    return text;
  };
  std::string text = line([](const std::string& column) { return column; });
  for (const ShelfRun& run : runs)
    text += line([&](const std::string& column) {
      const std::optional<Cell> cell = cell_of(run, column);
      return cell ? cell->text : "";
    });
  return text;
}

Json to_json(const ShelfRun& run) {
  Json options = Json::object(), metrics = Json::object();
  for (const auto& [name, value] : run.options) options[name] = value;
  for (const auto& [name, value] : run.metrics) metrics[name] = value;
  Json json = {{"run", run.run}, {"path", run.path}, {"state", word(run.state)}};
  if (!run.reason.empty()) json["reason"] = run.reason;
  json["task"] = run.task;
  json["version"] = run.version;
  json["name"] = run.labels.name;
  json["note"] = run.labels.note;
  json["tags"] = Json(run.labels.tags);
  json["step"] = run.step;
  json["steps"] = run.steps();
  json["date"] = run.written ? date_text(*run.written) : "";
  json["digest"] = run.digest;
  json["metrics"] = std::move(metrics);
  json["options"] = std::move(options);
  return json;
}

}  // namespace tapehead
