#include "../terminal/terminal.hpp"
#include "../web/svg.hpp"
#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

// All lengths are pixels, at the size that the picture gives itself.
constexpr int margin = 24, font = 13, line = 17;
constexpr Index most_rows = 4, most_columns = 4;  // of a matrix whose elements are shown

constexpr const char* style =
    ".value{fill:#1653a3}.gradient{fill:#c2410c}.edge{fill:none;stroke:#8a949f;stroke-width:1.5}"
    ".given{fill:none;stroke:#c9d0d8;stroke-dasharray:4 3}.label{stroke:#fff;stroke-width:4;"
    "paint-order:stroke}@media (prefers-color-scheme:dark){.value{fill:#6eafff}"
    ".gradient{fill:#ff9155}.label{stroke:#14171b}.given{stroke:#3a424c}}";

int width_of(const std::string& text) {
  return static_cast<int>(std::ceil(display_width(text) * character_width * font));
}
std::string number(double value) { return fmt::format("{:.4g}", value); }

/// The elements of a small tensor, a line for each row; of a larger one the root mean square.
std::vector<std::string> lines_of(const Tensor& x) {
  if (!x) return {};
  const Index columns = x.rank() == 0 ? 1 : x.dim(-1);
  if (x.size() == 0) return {"no elements"};
  if (columns > most_columns || x.size() / columns > most_rows)
    return {fmt::format("{} rms {}", x.shape(), summary(x))};
  const std::vector<double> values = x.values();
  std::vector<std::string> lines;
  std::size_t widest = 0;
  for (const double value : values) widest = std::max(widest, number(value).size());
  for (Index row = 0; row < x.size() / columns; ++row) {
    std::string text;
    for (Index column = 0; column < columns; ++column)
      text += (column > 0 ? " " : "") + pad_left(number(values[row * columns + column]),
                                                 columns > 1 ? static_cast<int>(widest) : 0);
    lines.push_back(text);
  }
  return lines;
}

std::string curve(double x1, double y1, double x2, double y2, double bend_x, double bend_y,
                  bool head = true) {
  return fmt::format(
      "<path class=\"edge\"{} d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"/>\n",
      head ? " marker-end=\"url(#end)\"" : "", x1, y1, x1 + bend_x, y1 + bend_y, x2 - bend_x,
      y2 + bend_y, x2, y2);
}
std::string box(double x, double y, double width, double height, const char* kind) {
  return fmt::format(
             R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="6" class="{}"/>)", x,
             y, width, height, kind) +
         '\n';
}
constexpr const char* arrow_head =
    "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
    "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
    "fill=\"#8a949f\"/></marker></defs>\n";

// ---- an expression: columns by the longest way from what is given

/// A step, or a place at which an edge passes a column.
struct Node {
  int step = -1;
  int column = 0;
  std::vector<std::string> value = {}, gradient = {};
  double x = 0, y = 0, width = 0, height = 12;
  std::vector<std::size_t> before = {};  ///< nodes
};

struct Drawing {
  std::vector<Node> nodes;
  std::vector<std::vector<std::size_t>> columns;

  std::size_t add(Node node) {
    if (node.column >= static_cast<int>(columns.size())) columns.resize(node.column + 1);
    columns[node.column].push_back(nodes.size());
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  /// Brings what belongs together to one height: each node as near as it can be to the mean of
  /// those before it, or after it.
  void level() {
    constexpr double gap = 22;
    std::vector<std::vector<std::size_t>> after(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const std::size_t from : nodes[i].before) after[from].push_back(i);
    for (int sweep = 0; sweep < 8; ++sweep)
      for (std::size_t c = 0; c < columns.size(); ++c) {
        std::vector<std::size_t>& column = columns[sweep % 2 == 0 ? c : columns.size() - 1 - c];
        const auto wanted = [&](std::size_t i) {
          const auto& others = sweep % 2 == 0 ? nodes[i].before : after[i];
          double sum = 0;
          for (const std::size_t other : others) sum += nodes[other].y;
          return others.empty() ? nodes[i].y : sum / static_cast<double>(others.size());
        };
        std::vector<double> heights(nodes.size());
        for (const std::size_t i : column) heights[i] = wanted(i);
        std::stable_sort(column.begin(), column.end(),
                         [&](std::size_t a, std::size_t b) { return heights[a] < heights[b]; });
        double bottom = -1e9, moved = 0;
        for (const std::size_t i : column) {
          Node& node = nodes[i];
          node.y = std::max(heights[i], bottom + node.height / 2);
          bottom = node.y + node.height / 2 + gap;
          moved += (node.y - heights[i]) / static_cast<double>(column.size());
        }
        for (const std::size_t i : column) nodes[i].y -= moved;
      }
  }
};

std::string expression_svg(const Explained& explained, const std::string& title) {
  const std::vector<ExplainedStep>& steps = explained.steps;
  std::vector<int> columns(steps.size(), 0);
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const int from : steps[i].inputs) columns[i] = std::max(columns[i], columns[from] + 1);
  for (std::size_t i = steps.size(); i-- > 0;) {  // what is given stands beside its first use
    int first = 1 << 20;
    for (std::size_t user = i; user < steps.size(); ++user)
      if (std::count(steps[user].inputs.begin(), steps[user].inputs.end(), static_cast<int>(i)) > 0)
        first = std::min(first, columns[user]);
    if (steps[i].op.empty() && first < 1 << 20) columns[i] = first - 1;
  }
  Drawing drawing;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Node node{static_cast<int>(i), columns[i]};
    node.value = lines_of(steps[i].value);
    node.gradient = lines_of(steps[i].gradient);
    int widest = width_of(steps[i].name);
    for (const auto* lines : {&node.value, &node.gradient})
      for (const std::string& text : *lines) widest = std::max(widest, width_of(text));
    node.width = widest + 20;
    node.height = 12 + line * static_cast<double>(1 + node.value.size() + node.gradient.size());
    node.y = 60.0 * static_cast<double>(i);
    drawing.add(std::move(node));
  }
  struct Edge {
    std::vector<std::size_t> through;
    std::string label;
  };
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t input = 0; input < steps[i].inputs.size(); ++input) {
      const auto from = static_cast<std::size_t>(steps[i].inputs[input]);
      Edge edge{{from}, ""};
      for (int column = columns[from] + 1; column < columns[i]; ++column) {
        Node passing{-1, column};
        passing.before = {edge.through.back()};
        passing.y = drawing.nodes[from].y;
        edge.through.push_back(drawing.add(std::move(passing)));
      }
      drawing.nodes[i].before.push_back(edge.through.back());
      edge.through.push_back(i);
      for (const Contribution& each : explained.contributions(from))
        if (each.step == i && each.input == input && steps[from].gradient) {
          const std::vector<std::string> lines = lines_of(each.gradient);
          edge.label = fmt::format("{}", fmt::join(lines, "; "));
          const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
          edge.label.erase(std::unique(edge.label.begin(), edge.label.end(), both_blank),
                           edge.label.end());
          if (edge.label.size() > 24) edge.label = "rms " + summary(each.gradient);
          if (!each.summed.empty()) edge.label = "Σ " + edge.label;
        }
      edges.push_back(std::move(edge));
    }
  }
  drawing.level();
  double x = margin, top = 1e9, bottom = -1e9;
  for (std::size_t column = 0; column < drawing.columns.size(); ++column) {
    double widest = 0, label = 0;
    for (const std::size_t i : drawing.columns[column]) {
      widest = std::max(widest, drawing.nodes[i].width);
      top = std::min(top, drawing.nodes[i].y - drawing.nodes[i].height / 2);
      bottom = std::max(bottom, drawing.nodes[i].y + drawing.nodes[i].height / 2);
    }
    for (const Edge& edge : edges)  // whose label stands before its end
      if (drawing.nodes[edge.through.back()].column == static_cast<int>(column) + 1)
        label = std::max<double>(label, width_of(edge.label));
    for (const std::size_t i : drawing.columns[column]) {
      Node& node = drawing.nodes[i];
      node.width = node.step < 0 ? widest : node.width;
      node.x = x + (widest - node.width) / 2;
    }
    x += widest + label + 48;
  }
  const double shift = margin + 34 - top;
  for (Node& node : drawing.nodes) node.y += shift;

  std::string lines, labels, boxes;
  for (const Edge& edge : edges) {
    const std::vector<std::size_t>& through = edge.through;
    const std::vector<int>& inputs = steps[through.back()].inputs;
    const Node& to = drawing.nodes[through.back()];
    // Several edges end one under the other, in the order in which they come.
    const auto height = [&](const Edge& e) {
      return std::pair(drawing.nodes[e.through[e.through.size() - 2]].y, &e);
    };
    const auto place = std::count_if(edges.begin(), edges.end(), [&](const Edge& e) {
      return e.through.back() == through.back() && height(e) < height(edge);
    });
    const double spread = std::min(26.0, to.height / static_cast<double>(inputs.size()));
    const double end =
        to.y + (static_cast<double>(place) - (static_cast<double>(inputs.size()) - 1) / 2) * spread;
    for (std::size_t i = 0; i + 1 < through.size(); ++i) {
      const Node &a = drawing.nodes[through[i]], &b = drawing.nodes[through[i + 1]];
      const bool ends = i + 2 == through.size();
      lines += curve(a.x + a.width, a.y, b.x - (ends ? 2 : 0), ends ? end : b.y,
                     (b.x - a.x - a.width) / 2, 0, ends);
      if (!ends) lines += curve(b.x, b.y, b.x + b.width, b.y, 0, 0, false);
    }
    if (!edge.label.empty())
      labels += svg_text(to.x - 12, end - 5, "gradient label", edge.label, R"(text-anchor="end")");
  }
  for (const Node& node : drawing.nodes) {
    if (node.step < 0) continue;
    const ExplainedStep& step = steps[node.step];
    boxes += box(node.x, node.y - node.height / 2, node.width, node.height, "frame");
    double y = node.y - node.height / 2 + line;
    const double middle = node.x + node.width / 2;
    const auto write = [&](const char* kind, const std::string& text) {
      boxes += svg_text(middle, y, kind, text, R"(text-anchor="middle" xml:space="preserve")");
      y += line;
    };
    write("title", step.name);
    for (const std::string& text : node.value) write("value", text);
    for (const std::string& text : node.gradient) write("gradient", text);
  }
  const std::string legend =
      svg_text(margin, bottom + shift + 36, "value", "value, forward →") +
      svg_text(margin + 170, bottom + shift + 36, "gradient",
               "gradient, backward ←: on an edge what goes back through it, Σ if summed over axes");
  const int width = std::max({static_cast<int>(x) - 24, margin * 2 + width_of(title) + 40,
                              margin * 2 + 170 + width_of(legend.substr(legend.size() - 100))});
  return svg_picture(width, static_cast<int>(bottom + shift) + 36 + margin, title, style,
                     arrow_head + fmt::format("<g font-size=\"{}\">\n", font) +
                         svg_text(margin, margin + 10, "title", title, R"(font-size="16")") +
                         lines + boxes + labels + legend + "</g>\n");
}

// ---- a model: a band for each module, its ops in their order

std::string model_svg(const Explained& explained, const std::string& title) {
  constexpr double left = 96, widest = 1240, height = 40, gap = 18, row = 62;
  const std::vector<ExplainedStep>& steps = explained.steps;
  struct Place {
    double x = 0, y = 0, width = 0;
    int band = -1;
  };
  std::vector<Place> places(steps.size());
  std::string boxes, edges;
  std::vector<double> bands;  // heights of their headings
  std::string module = "?";
  double x = left, y = margin + 20;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ExplainedStep& step = steps[i];
    if (step.op.empty() && !step.parameter) continue;  // constants
    const std::size_t begins = step.module.empty() ? 0 : step.module.size() + 1;
    const std::string name = fmt::format("{} {}", i, step.name.substr(begins));
    const std::string value = summary(step.value), gradient = summary(step.gradient);
    const double width = std::max(width_of(name), width_of(value + "  " + gradient)) + 16;
    if (step.module != module) {
      module = step.module;
      y += bands.empty() ? 26 : row + 30;
      x = left;
      boxes += svg_text(left, y - 14, "title", module.empty() ? "the model" : module);
      bands.push_back(y - 18);
    } else if (x + width > widest) {
      x = left;
      y += row;
    }
    places[i] = {x, y, width, static_cast<int>(bands.size()) - 1};
    boxes += box(x, y, width, height, step.parameter ? "given" : "frame");
    boxes += svg_text(x + 8, y + line, step.parameter ? "soft" : "title", name);
    boxes += svg_text(x + 8, y + 2 * line - 1, "value", value);
    boxes +=
        svg_text(x + width - 8, y + 2 * line - 1, "gradient", gradient, R"(text-anchor="end")");
    x += width + gap;
  }
  std::vector<std::pair<int, int>> between;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const int from : steps[i].inputs) {
      if (from < 0 || places[from].band < 0 || places[i].band < 0) continue;
      const Place &a = places[from], &b = places[i];
      if (a.band != b.band) {
        if (std::count(between.begin(), between.end(), std::pair(a.band, b.band)) == 0)
          between.emplace_back(a.band, b.band);
      } else if (a.y == b.y && b.x - a.x - a.width <= gap + 1) {
        edges += curve(a.x + a.width, a.y + 20, b.x - 1, b.y + 20, 4, 0);
      } else if (a.y == b.y) {
        edges += curve(a.x + a.width / 2, a.y, b.x + b.width / 2, b.y - 1, 10, -11);
      } else {
        edges += curve(a.x + a.width / 2, a.y + height, b.x + b.width / 2, b.y - 1, 0, 10);
      }
    }
  for (const auto& [from, to] : between) {
    const double bend = -std::min(70.0, 18 + (bands[to] - bands[from]) / 8);
    edges += fmt::format(
        "<path class=\"edge\" marker-end=\"url(#end)\" d=\"M{0} {1:.1f}C{2:.1f} {1:.1f} {2:.1f} "
        "{3:.1f} {0} {3:.1f}\"/>\n",
        left - 8, bands[from], left - 8 + bend, bands[to]);
  }
  const std::string legend = svg_text(left, y + row + 16, "value", "value") +
                             svg_text(left + 60, y + row + 16, "gradient",
                                      "gradient: of several elements the root mean square");
  return svg_picture(static_cast<int>(widest) + margin, static_cast<int>(y + row) + 16 + margin,
                     title, style,
                     arrow_head + fmt::format("<g font-size=\"{}\">\n", font) +
                         svg_text(margin, margin + 6, "title", title, R"(font-size="16")") + boxes +
                         edges + legend + "</g>\n");
}

}  // namespace

std::string graph_svg(const Explained& explained, const std::string& title) {
  const bool is_model = std::any_of(explained.steps.begin(), explained.steps.end(),
                                    [](const ExplainedStep& step) { return step.parameter; });
  return is_model ? model_svg(explained, title) : expression_svg(explained, title);
}

}  // namespace tapehead
