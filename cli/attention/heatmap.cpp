#include "heatmap.hpp"
#include "map.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr int indent = 2;

/// Returns weights summed over `group` keys and averaged over `group` queries, so that rows still
/// add up to 1.
HeadWeights grouped_cells(const HeadWeights& weights, Index group) {
  HeadWeights cells;
  cells.queries = (weights.queries + group - 1) / group;
  cells.keys = (weights.keys + group - 1) / group;
  cells.values.assign(cells.queries * cells.keys, 0);
  for (Index query = 0; query < weights.queries; ++query) {
    const Index first = query / group * group;
    const Index rows = std::min(group, weights.queries - first);
    for (Index key = 0; key < weights.keys; ++key)
      cells.values[query / group * cells.keys + key / group] +=
          weights(query, key) / static_cast<double>(rows);
  }
  return cells;
}

/// Returns the nearest of five shades.
const char* shade(double weight) {
  constexpr const char* shades[] = {"·", "░", "▒", "▓", "█"};
  if (std::isnan(weight)) return "?";
  return shades[std::lround(std::clamp(weight, 0.0, 1.0) * 4)];
}

/// Returns a colour from black over red to light yellow, in the common 256-colour palette.
int ramp(double weight) {
  constexpr int colours[] = {234, 52, 88, 124, 160, 196, 202, 208, 214, 220, 227, 230};
  constexpr auto last = std::size(colours) - 1;
  if (std::isnan(weight)) return 21;
  return colours[std::lround(std::clamp(weight, 0.0, 1.0) * last)];
}

int widest(const std::vector<std::string>& labels) {
  int width = 1;
  for (const std::string& label : labels) width = std::max(width, display_width(label));
  return std::min(width, 8);
}

/// The layout of a map: widths of a cell and of the labels.
struct MapLayout {
  int cell = 1, query = 1, key = 1;
  Index group = 1;
  bool upright = false;  // column labels are vertical

  MapLayout(const std::vector<std::string>& queries, const std::vector<std::string>& keys,
            int width)
      : query(widest(queries)), key(widest(keys)) {
    const auto count = static_cast<Index>(keys.size());
    const auto room_beside = [&] {
      return static_cast<Index>(std::max(width - indent - query - 2, 8));
    };
    const Index room = room_beside();
    if (count * (key + 1) <= room) {
      cell = key + 1;
    } else if (count * 2 <= room) {
      cell = 2;
      upright = true;
    } else if (count <= room) {
      upright = true;
    } else {
      query = static_cast<int>(std::to_string(std::max(keys.size(), queries.size())).size());
      group = (count + room_beside() - 1) / room_beside();
    }
  }
};

/// Returns the column labels: one line, or vertical on several lines.
std::string header(const MapLayout& layout, const std::vector<std::string>& tokens,
                   const std::string& margin) {
  std::vector<std::vector<std::string>> columns;  // for each token, its text on each line
  std::size_t height = 0;
  for (const std::string& token : tokens) {
    const std::string text = shorten(token, layout.key);
    columns.push_back(layout.upright ? characters(text) : std::vector<std::string>{text});
    height = std::max(height, columns.back().size());
  }
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line = margin;
    for (const auto& column : columns)
      line += pad_right(row < column.size() ? column[row] : "", layout.cell);
    text += without_end_spaces(line) + '\n';
  }
  return text;
}

}  // namespace

std::string heatmap(const HeadWeights& weights, const std::vector<std::string>& queries,
                    const std::vector<std::string>& keys, const Terminal& terminal) {
  const std::vector<std::string> beside = labels(queries), above = labels(keys);
  const MapLayout layout(beside, above, terminal.width);
  const Index group = layout.group;
  const HeadWeights cells = group > 1 ? grouped_cells(weights, group) : weights;
  const bool causal = weights.causal();

  const std::string margin(indent + layout.query + 2, ' ');
  std::string text;
  if (group > 1)
    text += wrapped(fmt::format("one cell: sum over {0} keys, mean over {0} queries", group),
                    terminal.width, indent + layout.query + 2);
  else
    text += header(layout, above, margin);
  for (Index query = 0; query < cells.queries; ++query) {
    const std::string label =
        group > 1 ? fmt::format("{}", query * group) : shorten(beside[query], layout.query);
    std::string line = pad_right("", indent) + pad_left(label, layout.query) + "  ";
    // Cells of keys that are masked for this row are empty.
    const Index last_query = std::min((query + 1) * group, weights.queries) - 1;
    const Index seen = causal ? (last_query + weights.first_place()) / group + 1 : cells.keys;
    for (Index key = 0; key < seen; ++key) {
      const double weight = cells(query, key);
      const int filled = terminal.colour ? layout.cell : std::max(1, layout.cell - 1);
      line += terminal.colour
                  ? fmt::format("\x1b[48;5;{}m{}\x1b[0m", ramp(weight), repeat(" ", filled))
                  : repeat(shade(weight), filled) + repeat(" ", layout.cell - filled);
    }
    text += without_end_spaces(line) + '\n';
  }
  return text;
}

}  // namespace tapehead
