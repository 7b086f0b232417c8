#include "query.hpp"
#include "../../train/config/names.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <set>
#include <sstream>

namespace tapehead {
namespace {

constexpr const char* date_format = "{:%Y-%m-%d %H:%M}";

/// Formats a time as local time, "2026-11-28 03:12"; such texts sort in the order of time.
std::string date_text(const std::optional<double>& seconds) {
  if (!seconds) return "";
  return fmt::format(date_format, fmt::localtime(static_cast<std::time_t>(std::floor(*seconds))));
}

/// Returns whether a text is a valid date and time that ends after the year, month, day, hour or
/// minute.
bool begins_date(const std::string& text) {
  const std::string rest = "0000-01-01 12:00";
  if (text.size() < 4 || text.size() > rest.size() || text.size() % 3 != 1) return false;
  const std::string whole = text + rest.substr(text.size());
  std::istringstream stream(whole);
  std::tm time = {};
  if (!(stream >> std::get_time(&time, "%Y-%m-%d %H:%M"))) return false;
  std::tm day = time;
  day.tm_hour = 12;
  std::mktime(&day);  // normalizes invalid days, such as February 30
  return fmt::format(date_format, time) == whole && day.tm_mday == time.tm_mday;
}

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const char *begin = text.data(), *end = begin + text.size();
  if (text.empty() || read_number(begin, end, number) != end || std::isnan(number)) return {};
  return number;
}

/// A run's value in a column.
struct Cell {
  std::string text;              ///< text of the value; numbers have all digits
  std::optional<double> number;  ///< the value, if it is a number
};

/// Returns the different values of a member of the run's sessions, separated by commas.
std::string of_sessions(const ListedRun& run, const char* member) {
  std::vector<std::string> values;
  for (const Json& session : run.sessions)
    if (const std::string value = session[member].string();
        !value.empty() && !contains(values, value))
      values.push_back(value);
  return fmt::format("{}", fmt::join(values, ","));
}
/// Returns the numbers of the numerics of the run's sessions, separated by commas.
std::string numerics_text(const ListedRun& run) {
  std::set<Index> numbers;
  for (const Json& session : run.sessions)
    if (const auto number = numerics_of(session)) numbers.insert(*number);
  return fmt::format("{}", fmt::join(numbers, ","));
}
/// Returns a member of the run's first session.
std::string of_start(const ListedRun& run, const char* member) {
  return run.sessions.empty() ? "" : run.sessions.front()[member].string();
}

/// A column that every run has.
struct BuiltInColumn {
  const char* name;
  bool is_text;
  std::string (*text)(const ListedRun&);  ///< returns the value; null for a column of `metrics`
};

/// The built-in columns, in the order in which messages list them.
constexpr BuiltInColumn built_in_columns[] = {
    {"run", true, [](const ListedRun& run) { return run.run; }},
    {"state", true, [](const ListedRun& run) { return std::string(state_name(run.state)); }},
    {"reason", true, [](const ListedRun& run) { return run.reason; }},
    {"task", true, [](const ListedRun& run) { return run.task; }},
    {"version", true, [](const ListedRun& run) { return run.version; }},
    {"numerics", true, numerics_text},
    {"compiler", true, [](const ListedRun& run) { return of_sessions(run, "compiler"); }},
    {"commit", true, [](const ListedRun& run) { return of_sessions(run, "commit"); }},
    {"host", true, [](const ListedRun& run) { return of_sessions(run, "host"); }},
    {"started", true, [](const ListedRun& run) { return of_start(run, "started"); }},
    {"command", true, [](const ListedRun& run) { return of_start(run, "command"); }},
    {"name", true, [](const ListedRun& run) { return run.labels.name; }},
    {"note", true, [](const ListedRun& run) { return run.labels.note; }},
    {"tags", true,
     [](const ListedRun& run) { return fmt::format("{}", fmt::join(run.labels.tags, ",")); }},
    {"last", false, nullptr},
    {"best", false, nullptr},
    {"loss", false, nullptr},
    {"best-loss", false, nullptr},
    {"exact-match", false, nullptr},
    {"best-exact-match", false, nullptr},
    {"best-step", false, nullptr},
    {"train-loss", false, nullptr},
    {"step", false, [](const ListedRun& run) { return fmt::format("{}", run.step); }},
    {"date", true, [](const ListedRun& run) { return date_text(run.written); }},
    {"time", false, nullptr},
    {"speed", false, nullptr},
    {"digest", true, [](const ListedRun& run) { return run.digest; }},
    {"path", true, [](const ListedRun& run) { return run.path; }},
};

const BuiltInColumn* built_in_column(const std::string& name) {
  const auto* column = find_named(built_in_columns, name);
  return column == std::end(built_in_columns) ? nullptr : column;
}

bool is_text(const std::string& name) {
  const BuiltInColumn* column = built_in_column(name);
  return column && column->is_text;
}

/// Replaces the columns `last` and `best` by exact-match and best-exact-match, or by loss and
/// best-loss if the run has no exact match. Returns other columns unchanged.
std::string result_column(const ListedRun& run, const std::string& column) {
  if (column != "last" && column != "best") return column;
  const std::string name = run.metrics.count("exact-match") > 0 ? "exact-match" : "loss";
  return column == "last" ? name : "best-" + name;
}

/// Returns a run's value in a column; nullopt if the run has none.
std::optional<Cell> cell_of(const ListedRun& run, const std::string& asked) {
  const std::string name = result_column(run, asked);
  if (const BuiltInColumn* own = built_in_column(name); own && own->text) {
    const std::string text = own->text(run);
    if (text.empty()) return {};
    if (name == "date") return Cell{text, run.written};  // the number sorts runs within a minute
    return Cell{text, own->is_text ? std::nullopt : number_in(text)};
  }
  if (const auto option = run.options.find(name); option != run.options.end())
    return Cell{option->second, number_in(option->second)};
  const auto metric = run.metrics.find(name);
  if (metric == run.metrics.end()) return {};
  return Cell{fmt::format("{}", metric->second), metric->second};
}

bool compares_order(const std::string& sign) {
  return sign == "<" || sign == "<=" || sign == ">" || sign == ">=";
}

/// Returns whether `left SIGN right` is true.
template <class T>
bool compare(const T& left, const std::string& sign, const T& right) {
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  if (sign == ">=") return left >= right;
  return (left == right) == (sign == "=");
}

std::string shown(const ListedRun& run, const std::string& asked, const Terminal& terminal) {
  const std::string column = result_column(run, asked);
  const std::optional<Cell> cell = cell_of(run, column);
  if (!cell) return "–";
  if (column == "state") {
    const Style style =
        run.state == ListedRun::State::done || run.state == ListedRun::State::complete ? Style::good
        : run.state == ListedRun::State::training                                      ? Style::bold
        : run.reason.empty()                                                           ? Style::dim
                                                                                       : Style::bad;
    return paint(terminal, style, cell->text);
  }
  if (column == "step" && run.steps() > 0 && run.steps() != run.step)
    return fmt::format("{} of {}", run.step, run.steps());
  if (column == "time") return duration(*cell->number);
  if (column == "exact-match" || column == "best-exact-match") return percent(*cell->number);
  if (run.metrics.count(column) > 0 && run.options.count(column) == 0)
    return *cell->number == std::trunc(*cell->number) ? cell->text : fixed(*cell->number, 4);
  const bool is_prose = column == "note" || column == "reason" || column == "command";  // may wrap
  return is_prose ? visible(cell->text) : shorten(visible(cell->text), 32);
}

}  // namespace

void check_column(const std::string& column, const char* where, const std::vector<ListedRun>& runs,
                  const Registry& registry) {
  const std::vector<std::string> own = names_of(built_in_columns);
  std::set<std::string> known(own.begin(), own.end());
  for (const Option& option : common_options(registry)) known.insert(option.name);
  for (const TaskEntry& task : registry.tasks())
    for (const Option& option : task.options) known.insert(option.name);
  for (const ListedRun& run : runs) {
    for (const auto& option : run.options) known.insert(option.first);
    for (const auto& metric : run.metrics) known.insert(metric.first);
  }
  if (known.count(column) > 0) return;
  const std::string near = nearest(column, {known.begin(), known.end()});
  throw UsageError("{}: no run has a column '{}'; {}", where, visible(column),
                   near.empty() ? fmt::format("expected one of {}, an option of train or a number "
                                              "in metrics.jsonl",
                                              fmt::join(own, ", "))
                                : fmt::format("did you mean '{}'?", near));
}

Condition Condition::parse(const std::string& text) {
  constexpr const char* signs = "=!<>~";
  const std::string whole = trimmed(text);
  const std::size_t at = whole.find_first_of(signs);
  if (at == std::string::npos && !whole.empty()) return {whole, "", ""};
  if (at == 0 && whole[0] == '!' && whole.find_first_of(signs, 1) == std::string::npos)
    if (const std::string column = trimmed(whole.substr(1)); !column.empty())
      return {column, "!", ""};
  Condition condition;
  for (const char* sign : {"!=", "<=", ">=", "=", "<", ">", "~"})
    if (condition.sign.empty() && at != std::string::npos &&
        whole.compare(at, std::string(sign).size(), sign) == 0)
      condition.sign = sign;
  if (at == std::string::npos || at == 0 || condition.sign.empty())
    throw UsageError(
        "--where: expected a condition such as 'width>64', 'task=copy' or 'note~wide', or the name "
        "of a column, got '{}'",
        visible(text));
  condition.column = trimmed(whole.substr(0, at));
  condition.value = trimmed(whole.substr(at + condition.sign.size()));
  if (condition.sign == "=" && condition.value.rfind('=', 0) == 0)
    throw UsageError("--where '{}': use a single '='", visible(text));
  if (condition.column == "date" && condition.sign != "~" && !begins_date(condition.value))
    throw UsageError(
        "--where '{}': expected a date after {}, such as 2026-11-28 or '2026-11-28 03:12', got "
        "'{}'",
        visible(text), condition.sign, visible(condition.value));
  return condition;
}

void check_value(const Condition& condition, const std::vector<ListedRun>& runs) {
  const auto& [column, sign, value] = condition;
  if (!compares_order(sign) || is_text(column) || number_in(value)) return;
  const auto has_text = [&, &name = column](const ListedRun& run) {
    const std::optional<Cell> cell = cell_of(run, name);
    return cell && !cell->text.empty() && !cell->number;
  };
  if (any_of(runs, has_text)) return;
  throw UsageError("--where '{}{}{}': expected a number after {}, got '{}'", visible(column), sign,
                   visible(value), sign, visible(value));
}

bool Condition::matches(const ListedRun& run) const {
  const std::optional<Cell> cell = cell_of(run, column);
  const bool has_value = cell && !cell->text.empty();
  if (sign.empty()) return has_value;
  if (sign == "!") return !has_value;
  if (!cell) return sign == "!=";
  if (sign == "~") return cell->text.find(value) != std::string::npos;
  if (column == "date") return compare(cell->text.substr(0, value.size()), sign, value);
  if (column == "tags" && !compares_order(sign)) {  // matches if one of the tags matches
    const auto& tags = run.labels.tags;
    return (contains(tags, value)) == (sign == "=");
  }
  if (const std::optional<double> number = number_in(value); cell->number && number)
    return compare(*cell->number, sign, *number);
  if (compares_order(sign) && (!has_value || cell->number)) return false;
  return compare(cell->text, sign, value);
}

void sort_by(const std::string& column, std::vector<ListedRun>& runs) {
  const bool descends = column[0] == '-';
  const std::string name = column.substr(descends ? 1 : 0);
  const auto is_before = [](const Cell& a, const Cell& b) {
    if (a.number && b.number) return *a.number < *b.number;
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    return a.text < b.text;
  };
  std::stable_sort(runs.begin(), runs.end(), [&](const ListedRun& a, const ListedRun& b) {
    const std::optional<Cell> left = cell_of(a, name), right = cell_of(b, name);
    if (!left || !right) return left.has_value() && !right.has_value();
    return descends ? is_before(*right, *left) : is_before(*left, *right);
  });
}

std::vector<std::string> differing_options(const std::vector<ListedRun>& runs,
                                           const Registry& registry) {
  std::map<std::string, std::map<std::string, std::string>>
      first;  // the options of the first run of each task
  std::set<std::string> differing;
  for (const ListedRun& run : runs) {
    if (run.state == ListedRun::State::foreign || run.options.empty()) continue;
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
  const auto take = [&](const std::vector<Option>& options) {
    for (const Option& option : options)
      if (option.effect == Effect::result && differing.erase(option.name) > 0)
        names.push_back(option.name);
  };
  for (const auto& task : first)
    if (has_named(registry.tasks(), task.first))
      take(all_options(registry.find_task(task.first), registry));
  return names;
}

std::vector<std::string> table_columns(const std::vector<ListedRun>& runs,
                                       const std::vector<std::string>& differing,
                                       std::size_t most) {
  std::vector<std::string> columns = {"run"};
  const auto any = [&](const auto& has) { return any_of(runs, has); };
  const auto differ = [&](std::string ListedRun::*field) {
    return any([&](const ListedRun& run) {
      return !(run.*field).empty() && run.*field != runs.front().*field;
    });
  };
  if (any([](const ListedRun& run) { return !run.labels.name.empty(); })) columns.push_back("name");
  if (any([](const ListedRun& run) { return !run.labels.tags.empty(); })) columns.push_back("tags");
  columns.push_back("state");
  if (differ(&ListedRun::task)) columns.push_back("task");
  if (any([](const ListedRun& run) {
        return !run.version.empty() && run.version != TAPEHEAD_VERSION;
      }))
    columns.push_back("version");
  columns.insert(columns.end(), differing.begin(),
                 differing.begin() + static_cast<std::ptrdiff_t>(std::min(most, differing.size())));
  columns.insert(columns.end(), {"last", "best", "step", "time", "digest"});
  if (any([](const ListedRun& run) { return !run.labels.note.empty(); })) columns.push_back("note");
  if (any([](const ListedRun& run) { return !run.reason.empty(); })) columns.push_back("reason");
  return columns;
}

std::vector<std::string> csv_columns(const std::vector<std::string>& differing) {
  std::vector<std::string> columns = {"run", "name", "tags", "state", "task", "version"};
  append(columns, differing);
  columns.insert(columns.end(), {"loss", "best-loss", "exact-match", "best-exact-match", "step",
                                 "time", "digest", "note", "reason"});
  return columns;
}

std::string to_text(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns,
                    const Terminal& terminal) {
  std::vector<Table::Align> aligned;
  for (const std::string& column : columns)
    aligned.push_back(is_text(column) ? Table::Align::left : Table::Align::right);
  Table table(aligned);
  table.add(columns);
  for (const ListedRun& run : runs) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) cells.push_back(shown(run, column, terminal));
    table.add(std::move(cells));
  }
  return table.text(terminal.width);
}

std::string to_csv(const std::vector<ListedRun>& runs, const std::vector<std::string>& columns) {
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (const std::string& column : columns) text += csv_cell(text_of(column)) + ",";
    text.back() = '\n';
    return text;
  };
  std::string text = line([](const std::string& column) { return column; });
  for (const ListedRun& run : runs)
    text += line([&](const std::string& column) {
      const std::optional<Cell> cell = cell_of(run, column);
      return cell ? cell->text : "";
    });
  return text;
}

Json to_json(const ListedRun& run) {
  Json options = Json::object(), metrics = Json::object();
  for (const auto& [name, value] : run.options) options[name] = value;
  for (const auto& [name, value] : run.metrics) metrics[name] = value;
  Json json = {{"run", run.run}, {"path", run.path}, {"state", state_name(run.state)}};
  if (!run.reason.empty()) json["reason"] = run.reason;
  json["task"] = run.task;
  json["version"] = run.version;
  json["name"] = run.labels.name;
  json["note"] = run.labels.note;
  json["tags"] = Json(run.labels.tags);
  json["sessions"] = Json(run.sessions);
  json["step"] = run.step;
  json["steps"] = run.steps();
  json["date"] = date_text(run.written);
  json["digest"] = run.digest;
  json["metrics"] = std::move(metrics);
  json["options"] = std::move(options);
  return json;
}

}  // namespace tapehead
