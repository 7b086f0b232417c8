#include "generated.hpp"
#include "../../train/files/json.hpp"
#include "answer.hpp"
#include "output.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Returns how many alternatives fit, each with a name and a number.
std::size_t alternatives_that_fit(const std::vector<GeneratedToken>& said, int names, int width) {
  std::size_t most = 0;
  for (const GeneratedToken& s : said) most = std::max(most, s.alternatives.size());
  const int position = static_cast<int>(std::to_string(said.size()).size());
  const int number = 5, gap = 2;
  const int before = 2 + position + gap + std::max(names, 5) + gap + number;
  const int each = gap + names + gap + number;
  return std::min(most, static_cast<std::size_t>(std::max(1, (width - before) / each)));
}

std::string in_percent(double probability) { return fmt::format("{:.1f}", 100 * probability); }

}  // namespace

std::vector<int> tokens_of(const std::vector<GeneratedToken>& said) {
  std::vector<int> tokens;
  for (const GeneratedToken& s : said) tokens.push_back(s.token);
  return tokens;
}

std::string harmless(const std::string& text, const Terminal& terminal) {
  if (!terminal.live) return text;
  std::string result;
  for (const std::string& character : characters(text))
    result += character == "\n" || character == "\t" ? character : visible(character);
  return result;
}

std::string shown(const Task& task, const std::vector<int>& tokens, const Terminal& terminal) {
  return harmless(task.show(tokens), terminal);
}

std::string probabilities_text(const Task& task, const std::vector<GeneratedToken>& said,
                               const Terminal& terminal) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  int names = 1;
  for (const GeneratedToken& s : said)
    for (const Prediction& other : s.alternatives)
      names = std::max(names, display_width(token_name(task, other.token)));
  const std::size_t most = alternatives_that_fit(said, names, terminal.width);

  std::vector<Table::Align> columns = {right, left, right};
  std::vector<std::string> heading = {"", "token", "%"};
  for (std::size_t i = 0; i < most; ++i) {
    columns.insert(columns.end(), {left, right});
    heading.insert(heading.end(), {"", "%"});
  }
  Table table(columns);
  table.add(heading);
  for (std::size_t position = 0; position < said.size(); ++position) {
    const GeneratedToken& s = said[position];
    std::vector<std::string> cells = {std::to_string(position + 1), token_name(task, s.token),
                                      in_percent(s.probability)};
    for (std::size_t i = 0; i < std::min(most, s.alternatives.size()); ++i) {
      cells.push_back(token_name(task, s.alternatives[i].token));
      cells.push_back(in_percent(s.alternatives[i].probability));
    }
    table.add(cells);
  }
  return table.text(terminal.width, 2);
}

Json to_json(const Task& task, const std::vector<GeneratedToken>& said) {
  const auto entry = [&](const Prediction& likely) {
    return Json{{"token", task.show({likely.token})}, {"probability", likely.probability}};
  };
  Json tokens = Json::array();
  for (const GeneratedToken& s : said) {
    tokens.push_back(entry(s));
    auto& others = tokens.back()["alternatives"] = Json::array();
    for (const Prediction& other : s.alternatives) others.push_back(entry(other));
  }
  return tokens;
}

void Stream::add(int token) {
  waiting_.push_back(token);
  std::string bytes;
  for (int each : waiting_) bytes += task_.bytes_of(each);
  if (!ends_within_character(bytes)) write();
}

void Stream::end() {
  if (!waiting_.empty()) write();
}

void Stream::write() {
  // Writes only the text that `waiting_` adds after the last token, including separators.
  std::vector<int> all = last_;
  const std::size_t known = task_.show(all).size();
  append(all, waiting_);
  write_output(harmless(task_.show(all).substr(known), terminal_));
  flush_output();
  last_ = {all.back()};
  waiting_.clear();
}

}  // namespace tapehead
