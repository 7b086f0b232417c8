#include "rule.hpp"
#include "../../../train/config/names.hpp"
#include "../../../train/files/number.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {
namespace {

/// An entry `KEY: REST` of a rule file, with the indented lines after it as `body`.
struct RuleEntry {
  int line = 0;
  std::string key, rest, body;
};

std::vector<RuleEntry> parse_entries(const std::string& file, const std::string& text) {
  std::vector<RuleEntry> entries;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (line.find_first_not_of(' ') == std::string::npos) continue;
    const std::size_t indent = line.find_first_not_of(' '), colon = line.find(':');
    if (indent > 0 && !entries.empty()) {
      std::string& body = entries.back().body;
      body += (body.empty() ? "" : "\n") + line.substr(indent);
    } else if (indent == 0 && colon != std::string::npos) {
      const std::size_t from = line.find_first_not_of(' ', colon + 1);
      entries.push_back(
          {number, line.substr(0, colon), from == std::string::npos ? "" : line.substr(from), ""});
    } else {
      throw Error("{}, line {}: expected KEY: VALUE or an indented line", file, number);
    }
  }
  return entries;
}

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool between = c == ' ' || c == ',' || c == '(' || c == ')' || c == '=';
    if (!between) words.back() += c;
    if (between && !words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Parses an input such as `x (rows, columns)`, `x (rows) positive` or `ids (rows) below columns`.
/// Returns an empty name for other text.
RuleInput input_from(const std::string& text) {
  const std::size_t open = text.find('('), close = text.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  const std::vector<std::string> name = words_in(text.substr(0, open)),
                                 kind = words_in(text.substr(close));
  RuleInput input{name.size() == 1 ? name[0] : "", words_in(text.substr(open, close - open))};
  if (kind.size() == 1 && kind[0] == "positive") input.kind = RuleInput::Kind::positive;
  if (kind.size() == 2 && kind[0] == "below") {
    input.kind = RuleInput::Kind::whole;
    input.below = kind[1];
  } else if (!kind.empty() && input.kind == RuleInput::Kind::any) {
    return {};
  }
  return input;
}

std::string join_lines(const std::string& a, const std::string& b) {
  std::string text = a + (a.empty() || b.empty() ? "" : " ") + b;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Adds an entry to a rule. Returns an error message; empty if there is no error.
std::string add_entry(const RuleEntry& entry, RuleTask& rule) {
  const auto& [line, key, rest, body] = entry;
  if (key == "title") {
    rule.title = rest;
  } else if (key == "text") {
    rule.text.push_back(join_lines(rest, body));
  } else if (key == "op") {
    rule.op = rest;
  } else if (key == "sizes") {
    const std::vector<std::string> words = words_in(rest);
    for (std::size_t i = 0; i < words.size(); i += 2) {
      const auto size = i + 1 < words.size() ? read_whole<Index>(words[i + 1]) : std::nullopt;
      if (!size || *size < 1) return "expected NAME=SIZE, as in rows=2";
      rule.sizes.emplace_back(words[i], *size);
    }
  } else if (key == "input") {
    rule.inputs.push_back(input_from(rest));
    if (rule.inputs.back().name.empty())
      return "expected NAME (SIZES), optionally followed by positive or below SIZE";
    for (const std::string& size : rule.inputs.back().sizes)
      if (none_of(rule.sizes, [&](const auto& each) { return each.first == size; }))
        return fmt::format("unknown size '{}'", size);
  } else if (key == "given") {
    rule.given = parse_formula(body.empty() ? rest : body);
  } else if (key == "solution") {
    rule.solution = body.empty() ? rest : body;
  } else if (key == "mistake") {
    if (body.empty()) return "expected a formula in the next line";
    rule.mistakes.push_back({rest, parse_formula(body)});
  } else if (key == "hint") {
    rule.hints.push_back(join_lines(rest, body));
  } else {
    return fmt::format("unknown key '{}'", key);
  }
  return "";
}

}  // namespace

std::vector<std::string> RuleTask::wanted() const {
  const Formula formula = parse_formula(solution);
  std::vector<std::string> names;
  for (const RuleInput& input : inputs)
    if (has_named(formula, "d" + input.name)) names.push_back("d" + input.name);
  return names;
}

RuleTask parse_rule(const std::string& file, const std::string& text) {
  RuleTask rule;
  const std::size_t dash = file.find('-'), dot = file.rfind('.');
  rule.name = file.substr(dash + 1, dot - dash - 1);
  for (const RuleEntry& entry : parse_entries(file, text)) {
    std::string wrong;
    try {
      wrong = add_entry(entry, rule);
    } catch (const UsageError& error) {
      wrong = error.what();
    }
    if (!wrong.empty()) throw Error("{}, line {}, {}: {}", file, entry.line, entry.key, wrong);
  }
  for (const auto& [key, missing] : {std::pair("title", rule.title.empty()),
                                     {"op", rule.op.empty()},
                                     {"input", rule.inputs.empty()},
                                     {"solution", rule.solution.empty()}})
    if (missing) throw Error("{}: has no '{}'", file, key);
  if (rule.wanted().empty())
    throw Error("{}, solution: expected a gradient, such as d{}", file, rule.inputs[0].name);
  return rule;
}

const std::vector<RuleTask>& rules() {
  static const std::vector<RuleTask> all = [] {
    std::vector<RuleTask> found;
    for (const EmbeddedFile* file = rule_files; file->path; ++file)
      found.push_back(parse_rule(file->path, file->text));
    return found;
  }();
  return all;
}

const RuleTask& find_rule(const std::string& name) { return require_named("rule", name, rules()); }

}  // namespace tapehead
