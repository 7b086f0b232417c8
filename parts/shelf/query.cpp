#include "query.hpp"
#include "../../train/config/names.hpp"
#include "../../train/config/number.hpp"
#include "../../train/config/options.hpp"
#include "date.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const char *begin = text.data(), *end = begin + text.size();
  if (text.empty() || read_number(begin, end, number) != end || std::isnan(number)) return {};
  return number;
}

Cell cell(const std::string& text) { return {text, number_in(text)}; }
Cell cell(Index whole) { return {fmt::format("{}", whole), static_cast<double>(whole)}; }

struct Operator {
  const char* text;
  Condition::Is is;
};
// Those that others begin with come after them.
constexpr Operator operators[] = {
    {"!=", Condition::Is::different}, {"<=", Condition::Is::at_most},
    {">=", Condition::Is::at_least},  {"=", Condition::Is::equal},
    {"<", Condition::Is::less},       {">", Condition::Is::more},
    {"~", Condition::Is::containing},
};

bool compares_order(Condition::Is is) {
  return is == Condition::Is::less || is == Condition::Is::at_most || is == Condition::Is::more ||
         is == Condition::Is::at_least;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The own columns that hold text in every run.
const std::vector<std::string>& text_columns() {
  static const std::vector<std::string> names = {"run",  "state", "reason", "task",   "version",
                                                 "name", "note",  "tags",   "digest", "path"};
  return names;
}

bool same(const Cell& cell, const std::string& value) {
  if (!cell.words.empty()) return std::count(cell.words.begin(), cell.words.end(), value) > 0;
  const std::optional<double> number = number_in(value);
  return cell.number && number ? *cell.number == *number : cell.text == value;
}

}  // namespace

const std::vector<std::string>& own_columns() {
  static const std::vector<std::string> names = {
      "run",       "state",      "reason", "task", "version",   "name",        "note",
      "tags",      "last",       "best",   "loss", "best-loss", "exact-match", "best-exact-match",
      "best-step", "train-loss", "step",   "date", "time",      "speed",       "digest",
      "path"};
  return names;
}

std::string result_column(const ShelfRun& run, const std::string& column) {
  if (column != "last" && column != "best") return column;
  const std::string name = run.metrics.count("exact-match") > 0 ? "exact-match" : "loss";
  return column == "last" ? name : "best-" + name;
}

std::optional<Cell> cell_of(const ShelfRun& run, const std::string& asked) {
  const std::string column = result_column(run, asked);
  const auto text = [](const std::string& value) -> std::optional<Cell> {
    if (value.empty()) return {};
    return Cell{value, {}};
  };
  if (column == "run") return text(run.run);
  if (column == "path") return text(run.path);
  if (column == "state") return text(word(run.state));
  if (column == "reason") return text(run.reason);
  if (column == "task") return text(run.task);
  if (column == "version") return text(run.version);
  if (column == "name") return text(run.labels.name);
  if (column == "note") return text(run.labels.note);
  if (column == "digest") return text(run.digest);
  if (column == "tags") {
    if (run.labels.tags.empty()) return {};
    return Cell{fmt::format("{}", fmt::join(run.labels.tags, ",")), {}, run.labels.tags};
  }
  if (column == "step") return cell(run.step);
  if (column == "date") {
    if (!run.written) return {};
    return Cell{date_text(*run.written), run.written};  // within a minute, sorted by the rest
  }
  if (const auto option = run.options.find(column); option != run.options.end())
    return cell(option->second);
  const auto metric = run.metrics.find(column);
  if (metric == run.metrics.end()) return {};
  return Cell{fmt::format("{}", metric->second), metric->second};
}

void check_column(const std::string& column, const char* where, const std::vector<ShelfRun>& runs,
                  const Registry& registry) {
  std::set<std::string> known(own_columns().begin(), own_columns().end());
  for (const TrainOption& option : common_options(registry)) known.insert(option.name);
  for (const TaskEntry& task : registry.tasks())
    for (const TaskOption& option : task.options) known.insert(option.name);
  for (const ShelfRun& run : runs) {
    for (const auto& option : run.options) known.insert(option.first);
    for (const auto& metric : run.metrics) known.insert(metric.first);
  }
  if (known.count(column) > 0) return;
  const std::string near = nearest(column, {known.begin(), known.end()});
  throw UsageError("{}: no run has a column '{}'; {}", where, visible(column),
                   near.empty() ? fmt::format("there are {}, each option of train, and each number "
                                              "of metrics.jsonl",
                                              fmt::join(own_columns(), ", "))
                                : fmt::format("did you mean '{}'?", near));
}

Condition Condition::parse(const std::string& text) {
  constexpr const char* signs = "=!<>~";
  const std::string whole = trimmed(text);
  const bool is_missing = !whole.empty() && whole[0] == '!';
  const std::string column = trimmed(whole.substr(is_missing ? 1 : 0));
  if (!column.empty() && column.find_first_of(signs) == std::string::npos)
    return {column, is_missing ? Is::missing : Is::given, ""};
  const std::size_t at = whole.find_first_of(signs);
  const auto found = std::find_if(std::begin(operators), std::end(operators), [&](const auto& one) {
    return at != std::string::npos &&
           whole.compare(at, std::string(one.text).size(), one.text) == 0;
  });
  if (at == std::string::npos || at == 0 || found == std::end(operators))
    throw UsageError(
        "--where: expected a column and what it is, such as 'width>64', 'task=copy' or "
        "'note~wide', or a column alone, not '{}'",
        visible(text));
  Condition condition{trimmed(whole.substr(0, at)), found->is,
                      trimmed(whole.substr(at + std::string(found->text).size()))};
  if (condition.is == Is::equal && !condition.value.empty() && condition.value[0] == '=')
    throw UsageError("--where '{}': '=' alone says that two are equal", visible(text));
  if (condition.column == "date" && condition.is != Is::containing) {
    if (!begins_date(condition.value))
      throw UsageError(
          "--where '{}': expected a date behind {}, such as 2026-11-28 or '2026-11-28 03:12', not "
          "'{}'",
          visible(text), found->text, visible(condition.value));
  }
  return condition;
}

void check_value(const Condition& condition, const std::vector<ShelfRun>& runs) {
  const auto& [column, is, value] = condition;
  if (!compares_order(is) || column == "date" || number_in(value)) return;
  const auto has_text = [&, &name = column](const ShelfRun& run) {
    const std::optional<Cell> cell = cell_of(run, name);
    return cell && !cell->text.empty() && !cell->number;
  };
  const auto& texts = text_columns();
  if (std::count(texts.begin(), texts.end(), column) > 0 ||
      std::any_of(runs.begin(), runs.end(), has_text))
    return;
  const auto sign = std::find_if(std::begin(operators), std::end(operators),
                                 [wanted = is](const Operator& one) { return one.is == wanted; });
  throw UsageError("--where '{}{}{}': expected a number behind {}, not '{}'", visible(column),
                   sign->text, visible(value), sign->text, visible(value));
}

bool Condition::holds(const ShelfRun& run) const {
  const std::optional<Cell> cell = cell_of(run, column);
  const bool has_value = cell && !cell->text.empty();
  if (is == Is::given) return has_value;
  if (is == Is::missing) return !has_value;
  if (!cell) return is == Is::different;
  if (is == Is::containing) return cell->text.find(value) != std::string::npos;
  const auto compared = [&](const auto& left, const auto& right) {
    switch (is) {
      case Is::less:
        return left < right;
      case Is::at_most:
        return left <= right;
      case Is::more:
        return left > right;
      case Is::at_least:
        return left >= right;
      case Is::equal:
        return left == right;
      default:
        return left != right;
    }
  };
  if (column == "date") return compared(cell->text.substr(0, value.size()), value);
  if (is == Is::equal) return same(*cell, value);
  if (is == Is::different) return !same(*cell, value);
  if (const std::optional<double> number = number_in(value); cell->number && number)
    return compared(*cell->number, *number);
  return has_value && !cell->number && compared(cell->text, value);
}

void sort_by(const std::string& column, std::vector<ShelfRun>& runs) {
  const bool descends = column[0] == '-';
  const std::string name = column.substr(descends ? 1 : 0);
  struct Keyed {
    std::optional<Cell> key;
    std::size_t at;
  };
  std::vector<Keyed> keyed;
  for (std::size_t i = 0; i < runs.size(); ++i) keyed.push_back({cell_of(runs[i], name), i});
  const auto is_before = [](const Cell& a, const Cell& b) {
    if (a.number && b.number) return *a.number < *b.number;
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    return a.text < b.text;
  };
  std::stable_sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    if (!a.key || !b.key) return a.key.has_value() && !b.key.has_value();
    return descends ? is_before(*b.key, *a.key) : is_before(*a.key, *b.key);
  });
  std::vector<ShelfRun> sorted;
  for (const Keyed& each : keyed) sorted.push_back(std::move(runs[each.at]));
  runs = std::move(sorted);
}

}  // namespace tapehead
