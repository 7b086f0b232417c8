#include "../../../cli/terminal/terminal.hpp"
#include "rule.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

/// Formats a value in the syntax of `tapehead explain`, with at most four decimals.
std::string value_text(const Tensor& x) {
  const auto number = [&](Index i) {
    std::string text = fmt::format("{:.4f}", x(i));
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
  };
  if (x.rank() == 0) return number(0);
  std::string text = "[";
  for (Index i = 0; i < x.size(); ++i) {
    if (i > 0) text += i % x.dim(-1) == 0 ? "; " : ", ";
    text += number(i);
  }
  return text + "]";
}

/// Formats the names of an input's sizes, as in (rows, columns).
std::string named_shape(const RuleTask& rule, const std::string& name) {
  for (const RuleInput& input : rule.inputs)
    if (input.name == name) return fmt::format("({})", fmt::join(input.sizes, ", "));
  return "";
}

std::string sizes_text(const RuleTask& rule) {
  std::vector<std::string> words;
  for (const auto& [name, size] : rule.sizes) words.push_back(fmt::format("{} = {}", name, size));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string rules_text(const std::string& program, int width) {
  Table table({Table::Align::left, Table::Align::left});
  for (const RuleTask& rule : rules()) table.add({rule.name, rule.title});
  return fmt::format(
      "{}\n{}\nStart with {} learn rule {}\n",
      wrapped("Write each op's gradients as formulas of its inputs, its result y and dy.", width),
      table.text(width, 2), program, rules()[0].name);
}

Json rules_json() {
  Json all = Json::array();
  for (const RuleTask& rule : rules()) all.push_back({{"rule", rule.name}, {"title", rule.title}});
  return all;
}

std::string task_text(const RuleTask& rule, std::uint64_t student, const std::string& program,
                      int width) {
  const RuleCase shown = rule_case(rule, student, 0);
  std::string text = rule.title + "\n";
  for (const std::string& paragraph : rule.text) text += "\n" + wrapped(paragraph, width);
  text += fmt::format("\n  y = {}    {}\n", rule.op, sizes_text(rule));
  for (const auto& [name, expression] : rule.given)
    text += fmt::format("  {} = {}\n", name, expression);
  text += "\n";
  using Align = Table::Align;
  Table table({Align::left, Align::left, Align::left});
  for (const auto& [name, value] : shown.given)
    table.add({name, named_shape(rule, name), value_text(value)});
  const std::vector<std::string> wanted = rule.wanted();
  std::vector<std::string> holes;
  for (const std::string& name : wanted) holes.push_back(name + " = ...");
  text += table.text(width, 2);
  return text + fmt::format("\n{}  {} learn rule {}{} '{}'\n",
                            wrapped(width,
                                    "Write {} for any sizes and numbers, in the syntax of "
                                    "{} explain, with the names above:",
                                    fmt::join(wanted, ", "), program),
                            program, rule.name,
                            student == 0 ? "" : fmt::format(" --student {}", student),
                            fmt::join(holes, "; "));
}

Json task_json(const RuleTask& rule, std::uint64_t student) {
  Json given = Json::array(), sizes = Json::object();
  for (const auto& [name, value] : rule_case(rule, student, 0).given) {
    Json one = {{"name", name}, {"shape", value.shape()}, {"values", Json(value.values())}};
    for (const RuleInput& input : rule.inputs)
      if (input.name == name) one["sizes"] = Json(input.sizes);
    for (const Assignment& derived : rule.given)
      if (derived.name == name) one["formula"] = derived.expression;
    given.push_back(std::move(one));
  }
  for (const auto& [name, size] : rule.sizes) sizes[name] = size;
  return {{"rule", rule.name},       {"title", rule.title},          {"student", student},
          {"op", rule.op},           {"sizes", std::move(sizes)},    {"given", std::move(given)},
          {"text", Json(rule.text)}, {"wanted", Json(rule.wanted())}};
}

std::string solution_text(const RuleTask& rule) { return rule.solution + "\n"; }

}  // namespace tapehead
