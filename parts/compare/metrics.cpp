#include "metrics.hpp"
#include "../../cli/terminal/terminal.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <map>

namespace tapehead {
namespace {

/// Parses lines of metrics.jsonl and indexes them by step.
std::map<Index, Json> by_step(const std::vector<std::string>& lines) {
  std::map<Index, Json> steps;
  for (const std::string& line : lines) {
    Json json = parse_json(line).value_or(Json());
    if (const std::optional<Index> step = json["step"].integer()) steps[*step] = std::move(json);
  }
  return steps;
}

/// Adds the values, including nested ones, that both lines have but whose texts differ. Ignores
/// `time`.
void add_different(const std::string& name, const Json& a, const Json& b,
                   std::vector<ComparedMetrics::Different>& all) {
  if (a.is_object() && b.is_object()) {
    for (const Json::Member& member : a.members()) {
      if (has_named(b.members(), member.name) && (!name.empty() || member.name != "time"))
        add_different(name.empty() ? member.name : name + "." + member.name, member.value,
                      b[member.name], all);
    }
  } else if (!a.items().empty() && a.items().size() == b.items().size()) {
    for (std::size_t i = 0; i < a.items().size(); ++i)
      add_different(fmt::format("{}[{}]", name, i), a.items()[i], b.items()[i], all);
  } else if (to_text(a) != to_text(b)) {
    all.push_back({name, a, b});
  }
}

/// Selects a few rows: the first, the first that differs, the last, and some in between, preferably
/// with an evaluation.
std::vector<ComparedMetrics::Losses> few(const ComparedMetrics& metrics) {
  constexpr std::size_t most = 8;
  const auto& all = metrics.losses;
  const auto is_evaluated = [](const ComparedMetrics::Losses& row) {
    return !std::isnan(row.held_out_a) && !std::isnan(row.held_out_b);
  };
  const auto evaluated = static_cast<std::size_t>(count_if(all, is_evaluated));
  const bool any = evaluated < 2;  // with fewer than two evaluations, selects any rows
  const std::size_t each = ((any ? all.size() : evaluated) + most - 1) / most;
  std::vector<ComparedMetrics::Losses> some;
  std::size_t passed = 0;
  for (const ComparedMetrics::Losses& row : all) {
    const bool counts = any || is_evaluated(row);
    if ((counts && passed % each == 0) || row.step == all.front().step ||
        row.step == all.back().step || row.step == metrics.first_step)
      some.push_back(row);
    passed += counts ? 1 : 0;
  }
  return some;
}

/// Formats the names of all differences but the first, as in
/// `also different: lr, 12 of update_ratio`.
std::string others_text(const std::vector<ComparedMetrics::Different>& all) {
  std::vector<std::pair<std::string, int>> groups;  // name up to the first . or [, and count
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::string group = all[i].name.substr(0, all[i].name.find_first_of(".["));
    if (groups.empty() || groups.back().first != group) groups.emplace_back(group, 0);
    ++groups.back().second;
  }
  std::vector<std::string> names;
  for (const auto& [name, count] : groups)
    names.push_back(count == 1 ? name : fmt::format("{} of {}", count, name));
  return fmt::format("also different: {}", fmt::join(names, ", "));
}

std::string loss(double value) { return std::isnan(value) ? "" : fmt::format("{:.4f}", value); }

std::string losses_apart(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return "";
  return a == b ? "=" : fmt::format("{:.1e}", std::abs(a - b));
}

std::string exact_text(const Json& value) {
  return value.string().empty() ? to_text(value) : visible(value.string());
}

}  // namespace

ComparedMetrics compare_metrics(const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
  ComparedMetrics metrics;
  metrics.lines_a = static_cast<Index>(a.size());
  metrics.lines_b = static_cast<Index>(b.size());
  const std::map<Index, Json> others = by_step(b);
  for (const auto& [step, line] : by_step(a)) {
    const auto other = others.find(step);
    if (other == others.end()) continue;
    metrics.losses.push_back({step, line["loss"].number(), other->second["loss"].number(),
                              line["val_loss"].number(), other->second["val_loss"].number()});
    if (metrics.first_step >= 0) continue;
    add_different("", line, other->second, metrics.first);
    if (!metrics.first.empty()) metrics.first_step = step;
  }
  return metrics;
}

std::string to_text(const ComparedMetrics& metrics, int width) {
  const auto common = static_cast<long long>(metrics.losses.size());
  if (common == 0)
    return fmt::format("metrics: A has {}, B has {}, none at the same step\n",
                       plural(metrics.lines_a, "line"), plural(metrics.lines_b, "line"));
  std::string text = fmt::format("metrics: {} at the same {}", plural(common, "line"),
                                 common == 1 ? "step" : "steps");
  if (metrics.lines_a != metrics.lines_b)
    text += fmt::format(", out of {} in A and {} in B", metrics.lines_a, metrics.lines_b);
  if (metrics.first_step < 0) return wrapped(text + ", all equal", width);
  const ComparedMetrics::Different& first = metrics.first.front();
  text =
      wrapped(width, "{}; they first differ at step {}: {}", text, metrics.first_step, first.name);
  text += fmt::format("  A  {}\n  B  {}\n", exact_text(first.a), exact_text(first.b));
  if (metrics.first.size() > 1) text += wrapped(others_text(metrics.first), width, 2);
  constexpr auto right = Table::Align::right;
  Table table({right, right, right, right, right, right, right});
  table.add({"step", "loss A", "B", "difference", "validation A", "B", "difference"});
  for (const ComparedMetrics::Losses& row : few(metrics))
    table.add({std::to_string(row.step), loss(row.a), loss(row.b), losses_apart(row.a, row.b),
               loss(row.held_out_a), loss(row.held_out_b),
               losses_apart(row.held_out_a, row.held_out_b)});
  return text + "\n" + table.text(width, 2);
}

Json to_json(const ComparedMetrics& metrics) {
  Json first = Json::array(), losses = Json::array();
  for (const ComparedMetrics::Different& each : metrics.first)
    first.push_back({{"name", each.name}, {"a", each.a}, {"b", each.b}});
  for (const ComparedMetrics::Losses& row : metrics.losses)
    losses.push_back({{"step", row.step},
                      {"a", row.a},
                      {"b", row.b},
                      {"held_out_a", row.held_out_a},
                      {"held_out_b", row.held_out_b}});
  return {{"lines_a", metrics.lines_a},
          {"lines_b", metrics.lines_b},
          {"first_step", metrics.first_step < 0 ? Json() : Json(metrics.first_step)},
          {"first", std::move(first)},
          {"losses", std::move(losses)}};
}

}  // namespace tapehead
