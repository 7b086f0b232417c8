#include "formats.hpp"
#include "heatmap.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr int gap = 3;  // columns between heads

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Texts of several lines, side by side as far as they fit the width, the others below.
std::string side_by_side(const std::vector<std::string>& texts, int width) {
  std::string result;
  std::vector<std::string> row;  // the lines of the texts that are side by side
  int used = 0;
  const auto end_row = [&] {
    if (!result.empty() && !row.empty()) result += '\n';
    for (const std::string& line : row) result += line + '\n';
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

}  // namespace

std::string attention_text(const std::vector<AttentionMap>& maps, const Terminal& terminal) {
  std::string text;
  for (const AttentionMap& map : maps) {
    std::vector<std::string> heads;
    for (Index i = 0; i < map.heads(); ++i) {
      const HeadWeights weights = map.head(i);
      const std::string pattern = describe(weights);
      const std::string title = map.title(i) + (pattern.empty() ? "" : " · " + pattern);
      heads.push_back(paint(terminal, Style::bold, title) + '\n' +
                      heatmap(weights, map.queries, map.keys, terminal));
    }
    text += (text.empty() ? "" : "\n") + side_by_side(heads, terminal.width);
  }
  return text;
}

}  // namespace tapehead
