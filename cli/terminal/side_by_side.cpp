#include "side_by_side.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr int gap = 3;  // columns

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string side_by_side(const std::vector<std::string>& texts, int width) {
  std::string result;
  std::vector<std::string> row;  // the lines of the texts that are side by side
  int used = 0;
  const auto end_row = [&] {
    if (!result.empty() && !row.empty()) result += '\n';
    for (std::string& line : row) result += line.erase(line.find_last_not_of(' ') + 1) + '\n';
    row.clear();
    used = 0;
  };
  for (const std::string& text : texts) {
    const std::vector<std::string> lines = lines_of(text);
    int columns = 0;
    for (const std::string& line : lines) columns = std::max(columns, display_width(line));
    if (used > 0 && used + gap + columns > width) end_row();
    const int start = used > 0 ? used + gap : 0;
    row.resize(std::max(row.size(), lines.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) row[i] = pad_right(row[i], start) + lines[i];
    used = start + columns;
  }
  end_row();
  return result;
}

}  // namespace tapehead
