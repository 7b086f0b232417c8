#include <tapehead/cli/heatmap.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

using Index = std::int64_t;

constexpr int indent = 2;

/// The mean weight on key(query), over the queries for which that is a key and not their only one.
template <class Key>
double mean_weight(const HeadWeights& weights, Index first, Index end, Key key) {
  double total = 0;
  Index count = 0;
  for (Index query = first; query < end; ++query) {
    const Index k = key(query);
    if (k < 0 || k >= weights.keys) continue;
    total += weights(query, k);
    ++count;
  }
  return count ? total / static_cast<double>(count) : 0;
}

/// Whether no query looks at what comes after it.
bool is_causal(const HeadWeights& weights) {
  for (Index query = 0; query < weights.queries; ++query)
    for (Index key = query + weights.keys - weights.queries + 1; key < weights.keys; ++key)
      if (weights(query, key) != 0) return false;
  return true;
}

/// Weights summed over `group` keys, and averaged over `group` queries: a share of 1 again.
HeadWeights grouped_cells(const HeadWeights& weights, Index group) {
  HeadWeights cells;
  cells.queries = (weights.queries + group - 1) / group;
  cells.keys = (weights.keys + group - 1) / group;
  cells.values.assign(static_cast<std::size_t>(cells.queries * cells.keys), 0);
  for (Index query = 0; query < weights.queries; ++query) {
    const Index first = query / group * group;
    const Index rows = std::min(group, weights.queries - first);
    for (Index key = 0; key < weights.keys; ++key)
      cells.values[static_cast<std::size_t>(query / group * cells.keys + key / group)] +=
          weights(query, key) / static_cast<double>(rows);
  }
  return cells;
}

/// Five shades; a weight counts as what it is nearest to.
const char* shade(double weight) {
  constexpr const char* shades[] = {"·", "░", "▒", "▓", "█"};
  if (std::isnan(weight)) return "?";
  return shades[static_cast<int>(std::lround(std::clamp(weight, 0.0, 1.0) * 4))];
}

/// From black over red to a light yellow, in the 256 colours that all terminals have.
int ramp(double weight) {
  constexpr int colours[] = {234, 52, 88, 124, 160, 196, 202, 208, 214, 220, 227, 230};
  constexpr int last = static_cast<int>(std::size(colours)) - 1;
  if (std::isnan(weight)) return 21;
  return colours[static_cast<int>(std::lround(std::clamp(weight, 0.0, 1.0) * last))];
}

std::string repeat(const char* text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// How the map is laid out: columns of a cell, and of the labels left of it.
struct Layout {
  int cell = 1, label = 1;
  Index group = 1;
  bool upright = false;  // each label above is written downwards

  Layout(Index keys, const std::vector<std::string>& tokens, int width) {
    int widest = 1;
    for (const std::string& token : tokens) widest = std::max(widest, display_width(token));
    label = std::min(widest, 8);
    const auto room_beside = [&] {
      return static_cast<Index>(std::max(width - indent - label - 2, 8));
    };
    const Index room = room_beside();
    if (keys * (label + 1) <= room) {
      cell = label + 1;
    } else if (keys * 2 <= room) {
      cell = 2, upright = true;
    } else if (keys <= room) {
      upright = true;
    } else {
      label = static_cast<int>(std::to_string(keys).size());
      group = (keys + room_beside() - 1) / room_beside();
    }
  }
};

/// The tokens above the columns: one line, or downwards as many as the longest has characters.
std::string header(const Layout& layout, const std::vector<std::string>& tokens,
                   const std::string& margin) {
  std::string text;
  if (!layout.upright) {
    std::string line = margin;
    for (const std::string& token : tokens)
      line += pad_right(shorten(token, layout.label), layout.cell);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  }
  std::vector<std::vector<std::string>> columns;
  std::size_t height = 0;
  for (const std::string& token : tokens) {
    columns.push_back(characters(shorten(token, layout.label)));
    height = std::max(height, columns.back().size());
  }
  for (std::size_t row = 0; row < height; ++row) {
    std::string line = margin;
    for (const auto& column : columns)
      line += pad_right(row < column.size() ? column[row] : "", layout.cell);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace

Pattern find_pattern(const HeadWeights& weights) {
  const Index behind = weights.keys - weights.queries;  // query i stands at key i + behind
  const Index enough = std::max<Index>(2, weights.queries / 4);
  Pattern best;
  const auto consider = [&](const std::string& name, double score) {
    if (score >= 0.5 && score > best.score + 1e-3) best = {name, score};
  };
  // A query that may see one key alone has no choice, so the first one counts for nothing.
  const Index first = is_causal(weights) && behind == 0 ? 1 : 0;
  for (Index back = 0; back <= weights.keys - enough; ++back) {
    const std::string name = back == 0   ? "same token"
                             : back == 1 ? "previous token"
                                         : fmt::format("{} back", back);
    consider(name, mean_weight(weights, std::max(first, back - behind), weights.queries,
                               [&](Index query) { return query + behind - back; }));
  }
  consider("first token", mean_weight(weights, std::max<Index>(first, 1 - behind), weights.queries,
                                      [](Index) { return 0; }));
  for (Index total = enough - 1; total <= weights.keys + weights.queries - 1 - enough; ++total) {
    // In a causal map, the queries before the middle of the anti-diagonal don't see it yet.
    const Index seen = is_causal(weights) ? (total - behind + 1) / 2 : 0;
    const Index end = std::min(weights.queries, total + 1);
    if (end - std::max(first, seen) < enough) continue;
    consider("anti-diagonal", mean_weight(weights, std::max(first, seen), end,
                                          [&](Index query) { return total - query; }));
  }
  return best;
}

std::string heatmap(const HeadWeights& weights, const std::vector<std::string>& tokens,
                    const Terminal& terminal) {
  std::vector<std::string> labels;
  for (const std::string& token : tokens) labels.push_back(token == " " ? "␣" : visible(token));
  const Layout layout(weights.keys, labels, terminal.width);
  const HeadWeights cells = layout.group > 1 ? grouped_cells(weights, layout.group) : weights;
  const Index behind = cells.keys - cells.queries;
  const bool causal = is_causal(weights);

  const std::string margin(static_cast<std::size_t>(indent + layout.label + 2), ' ');
  std::string text;
  if (layout.group > 1)
    for (const std::string& line :
         wrap(fmt::format("one cell: {} keys added up, averaged over {} queries", layout.group,
                          layout.group),
              terminal.width - layout.label - indent - 2))
      text += margin + line + '\n';
  else
    text += header(layout, labels, margin);
  for (Index query = 0; query < cells.queries; ++query) {
    const Index at = query + behind;
    const std::string label = layout.group > 1
                                  ? fmt::format("{}", query * layout.group)
                                  : shorten(labels[static_cast<std::size_t>(at)], layout.label);
    std::string line = pad_right("", indent) + pad_left(label, layout.label) + "  ";
    for (Index key = 0; key < cells.keys; ++key) {
      if (causal && key > at) break;  // what a query can't see stays empty
      const double weight = cells(query, key);
      const int filled = terminal.colour ? layout.cell : std::max(1, layout.cell - 1);
      line += terminal.colour
                  ? fmt::format("\x1b[48;5;{}m{}\x1b[0m", ramp(weight), repeat(" ", filled))
                  : repeat(shade(weight), filled) + repeat(" ", layout.cell - filled);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace tapehead
