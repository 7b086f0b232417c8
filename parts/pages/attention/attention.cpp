#include "attention.hpp"
#include "../../../cli/attention/map_json.hpp"
#include "../web/page.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

// lengths in pixels
constexpr int margin = 24, gap = 28, widest_row = 1200;
constexpr int title_height = 40;   // title, and the head's pattern below it
constexpr int longest_label = 12;  // longest label in characters
constexpr int levels = 25;         // number of opacity levels above zero

std::string rectangle(double x, double y, double width, double height, const char* kind,
                      double opacity = 1) {
  return fmt::format(
             R"(<rect x="{}" y="{}" width="{}" height="{}" class="{}" fill-opacity="{:.2f}"/>)", x,
             y, width, height, kind, opacity) +
         '\n';
}

/// The layout of one head's map, shared by all heads of a layer.
struct Panel {
  std::vector<std::string> queries, keys;  // tokens at the axes
  int cell, font, left, above, width, height;

  explicit Panel(const AttentionMap& map) : queries(labels(map.queries)), keys(labels(map.keys)) {
    const auto rows = static_cast<int>(queries.size()), columns = static_cast<int>(keys.size());
    cell = std::clamp(320 / std::max({rows, columns, 1}), 5, 18);
    font = std::min(cell * 7 / 8, 12);
    left = length(queries) + 6;
    above = title_height + (upright() ? length(keys) : font) + 6;
    width = left + columns * cell;
    height = above + rows * cell;
    // Titles can be wider than the cells, since they have another font size.
    for (Index head = 0; head < map.heads(); ++head)
      width = std::max({width, left + columns_wide(map.title(head), 14),
                        left + columns_wide(map.rule(head), 12)});
  }

  bool upright() const { return length(keys) > std::max(cell, font); }
  static int columns_wide(const std::string& line, int size) {
    return static_cast<int>(std::ceil(display_width(line) * character_width * size));
  }
  int length(const std::vector<std::string>& tokens) const {
    int widest = 1;
    for (const std::string& token : tokens) widest = std::max(widest, display_width(token));
    return static_cast<int>(std::ceil(std::min(widest, longest_label) * character_width * font));
  }
};

/// Draws a head's weights. The opacity is the square root of a weight, so that small weights are
/// visible. All cells of an opacity are one SVG path, and equal neighbours in a row one rectangle.
std::string cells(const HeadWeights& weights) {
  constexpr int wrong = levels + 1;  // the level of NaN
  std::vector<std::string> paths(wrong + 1);
  const auto level = [&](Index query, Index key) {
    const double weight = weights(query, key);
    if (std::isnan(weight)) return wrong;
    return static_cast<int>(std::lround(std::sqrt(std::clamp(weight, 0.0, 1.0)) * levels));
  };
  for (Index query = 0; query < weights.queries; ++query)
    for (Index key = 0, end = 0; key < weights.keys; key = end) {
      const int shade = level(query, key);
      while (end < weights.keys && level(query, end) == shade) ++end;
      paths[shade] += fmt::format("M{} {}h{}v1h-{}z", key, query, end - key, end - key);
    }
  std::string result;
  for (int shade = 1; shade <= wrong; ++shade)
    if (const std::string& path = paths[shade]; !path.empty())
      result += fmt::format(R"(<path class="{}" fill-opacity="{:.2f}" d="{}"/>)",
                            shade == wrong ? "wrong" : "ink",
                            std::min(1.0, static_cast<double>(shade) / levels), path) +
                '\n';
  return result;
}

std::string picture(const AttentionMap& map, Index head, const Panel& panel, int x, int y) {
  const HeadWeights weights = map.head(head);
  const int left = panel.left, above = panel.above, cell = panel.cell;
  const double half = 0.5 * cell, baseline = half + 0.35 * panel.font;  // baseline: of the labels
  std::string result =
      fmt::format(R"svg(<g transform="translate({} {})" font-size="{}">)svg", x, y, panel.font) +
      '\n';
  result += svg_text(left, 14, "title", map.title(head), R"(font-size="14")");
  result += svg_text(left, 31, "soft", map.rule(head), R"(font-size="12")");
  for (std::size_t key = 0; key < panel.keys.size(); ++key) {
    const double from = left + static_cast<double>(key) * cell, bottom = above - 5;
    const std::string turned =
        fmt::format(R"svg(transform="rotate(-90 {:.1f} {:.1f})")svg", from + baseline, bottom);
    result += svg_text(from + (panel.upright() ? baseline : half), bottom, "soft",
                       shorten(panel.keys[key], longest_label),
                       panel.upright() ? turned : R"(text-anchor="middle")");
  }
  for (std::size_t query = 0; query < panel.queries.size(); ++query)
    result += svg_text(left - 5, above + static_cast<double>(query) * cell + baseline, "soft",
                       shorten(panel.queries[query], longest_label), R"(text-anchor="end")");
  result += rectangle(left - 0.5, above - 0.5, static_cast<double>(weights.keys * cell + 1),
                      static_cast<double>(weights.queries * cell + 1), "frame");
  result += fmt::format(
      R"svg(<g transform="translate({} {}) scale({})" shape-rendering="crispEdges">)svg", left,
      above, cell);
  return result + '\n' + cells(weights) + "</g>\n</g>\n";
}

/// The size in pixels of the legend, which explains the axes and opacities.
constexpr int legend_width = 440, legend_height = 36;
std::string legend(int y) {
  const std::string meaning = "rows attend to columns with weight ", small = R"(font-size="12")";
  const int start = margin + Panel::columns_wide(meaning, 12);
  constexpr int steps = 10, step = 10;
  std::string result = svg_text(margin, y + 10, "soft", meaning, small);
  for (int i = 0; i <= steps; ++i)
    result += rectangle(start + i * step, y, step, 12, "ink", static_cast<double>(i) / steps);
  for (const double opacity : {0.0, 0.5, 1.0})
    result +=
        svg_text(start + (0.5 + opacity * steps) * step, y + 26, "soft",
                 fmt::format("{}", opacity * opacity), R"(font-size="12" text-anchor="middle")");
  return result;
}

/// Converts weights to an array of rows, with null for NaN.
Json rows_json(const HeadWeights& weights) {
  Json rows = Json::array();
  for (auto row = weights.values.begin(); row < weights.values.end(); row += weights.keys)
    rows.push_back(std::vector<float>(row, row + weights.keys));
  return rows;
}

}  // namespace

std::string attention_svg(const std::vector<AttentionMap>& maps, const std::string& title) {
  std::string heads;
  int width = 0, y = margin;
  for (const AttentionMap& map : maps) {
    const Panel panel(map);
    int x = margin;
    for (Index head = 0; head < map.heads(); ++head) {
      if (x > margin && x + panel.width + margin > widest_row) {
        x = margin;
        y += panel.height + gap;
      }
      heads += picture(map, head, panel, x, y);
      x += panel.width + gap;
      width = std::max(width, x - gap + margin);
    }
    y += panel.height + gap;
  }
  width = std::max(width, legend_width);
  const int height = y + legend_height + margin / 2;
  return svg_picture(width, height, title, ".wrong{fill:#e03131}", heads + legend(y));
}

std::string attention_page(const std::vector<AttentionMap>& maps, const std::string& title,
                           const Json& image) {
  Json layers = Json::array();
  for (const AttentionMap& map : maps) {
    layers.push_back(axes_json(map));
    layers.back()["heads"] = heads_json(map, rows_json);
  }
  return web_page(title, {"base.css", "attention.css"},
                  {{"title", visible(title)}, {"maps", std::move(layers)}, {"image", image}},
                  with_words({"images.js", "attention.js", "attention_page.js"}));
}

}  // namespace tapehead
