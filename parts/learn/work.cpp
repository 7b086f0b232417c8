#include "work.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

/// Indents the output of another program and replaces its control characters.
std::string visible_lines(const std::string& text) {
  std::string shown;
  for (const std::string& line : split_lines(text)) shown += "  " + visible(line) + '\n';
  return shown;
}

/// Returns the last column of a part's row: the first wrong number, the mistake and the note.
std::string remark(const CheckedPart& part) {
  std::vector<std::string> clauses;
  if (!part.where.empty())
    clauses.push_back(fmt::format("{} is {}{}", part.where, part.given,
                                  part.expected.empty() ? "" : ", expected " + part.expected));
  if (!part.mistake.empty()) clauses.push_back(part.mistake);
  if (!part.note.empty()) clauses.push_back(part.note);
  return fmt::format("{}", fmt::join(clauses, "; "));
}

}  // namespace

bool CheckedWork::right() const { return error.empty() && !wrong(); }
const CheckedPart* CheckedWork::wrong() const {
  for (const CheckedPart& part : parts)
    if (!part.counts()) return &part;
  return nullptr;
}

Index CheckedWork::passed() const {
  return count_if(parts, [](const CheckedPart& part) { return part.counts(); });
}

std::pair<std::string, std::string> format_pair(double a, double b) {
  const auto text = [](double number, int digits) {
    return fmt::format("{:.{}g}", number, digits);
  };
  int digits = 6;
  while (digits < 17 && text(a, digits) == text(b, digits)) ++digits;
  return {text(a, digits), text(b, digits)};
}

void hide_answers(CheckedWork& work) {
  for (CheckedPart& part : work.parts) part.expected.clear();
}

std::string next_hint(const CheckedWork& work, const std::string& part,
                      const std::vector<std::string>& hints, Index& shown) {
  const auto count = static_cast<Index>(hints.size());
  if (!work.error.empty()) return "Fix the compile error first.";
  if (work.right()) return "Everything is right: no hint is left.";
  if (hints.empty()) return fmt::format("There is no hint for '{}'.", part);
  if (shown >= count)
    return fmt::format("No more hints for '{}'. The last one: {}", part, hints.back());
  const std::string& hint = hints[static_cast<std::size_t>(shown++)];
  return fmt::format("Hint {} of {} for '{}': {}", shown, count, part, hint);
}

std::string to_text(const std::string& heading, const CheckedWork& work, const char* thing,
                    const std::string& next, const Terminal& terminal) {
  std::string text = heading + "\n";
  const std::string hint = work.hint.empty() ? "" : wrapped(work.hint, terminal.width);
  if (!work.error.empty()) return text + visible_lines(work.error) + hint;
  Table table({Table::Align::left, Table::Align::left, Table::Align::left});
  for (const CheckedPart& part : work.parts) {
    const Style style = part.counts() ? Style::good : Style::bad;
    table.add({paint(terminal, style, part.state), part.name, visible(remark(part))});
  }
  text += table.text(terminal.width, 2);
  if (!work.printed.empty()) text += "your program printed\n" + visible_lines(work.printed);
  text +=
      fmt::format("{} of {} right; {}\n", work.passed(), plural(work.parts.size(), thing), next);
  return text + hint;
}

Json to_json(Json head, const CheckedWork& work) {
  Json parts = Json::array();
  for (const CheckedPart& part : work.parts) {
    Json one = {{"name", part.name}, {"state", part.state}};
    if (!part.where.empty()) {
      one["where"] = part.where;
      one["given"] = part.given;
      if (!part.expected.empty()) one["expected"] = part.expected;
    }
    if (!part.mistake.empty()) one["mistake"] = part.mistake;
    if (!part.note.empty()) one["note"] = part.note;
    parts.push_back(std::move(one));
  }
  head["right"] = work.right();
  head["passed"] = work.passed();
  head["parts"] = std::move(parts);
  head["hints"] = work.hints;
  if (!work.digest.empty()) head["digest"] = work.digest;
  if (!work.error.empty()) head["error"] = work.error;
  if (!work.hint.empty()) head["hint"] = work.hint;
  return head;
}

CheckedWork work_from(const Json& json) {
  CheckedWork work;
  for (const Json& part : json["parts"].items())
    work.parts.push_back({part["name"].string(), part["state"].string(), part["where"].string(),
                          part["given"].string(), part["expected"].string(), part["note"].string(),
                          part["mistake"].string()});
  work.error = json["error"].string();
  work.digest = json["digest"].string();
  return work;
}

}  // namespace tapehead
