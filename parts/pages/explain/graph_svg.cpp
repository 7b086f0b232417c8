#include "../../../cli/terminal/terminal.hpp"
#include "../web/page.hpp"
#include "page.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tapehead {
namespace {

// lengths in pixels
constexpr int margin = 24, font = 13, line = 17;

constexpr const char* style =
    ".value{fill:#1653a3}.tangent{fill:#0f766e}.gradient{fill:#c2410c}.edge{fill:none;stroke:#"
    "8a949f;stroke-width:1.5}"
    ".given{fill:none;stroke:#c9d0d8;stroke-dasharray:4 3}.label{stroke:#fff;stroke-width:4;"
    "paint-order:stroke}@media (prefers-color-scheme:dark){.value{fill:#6eafff}"
    ".tangent{fill:#4fd1c5}.gradient{fill:#ff9155}.label{stroke:#14171b}.given{stroke:#3a424c}}";

double width_of(const std::string& text) {
  return std::ceil(display_width(text) * character_width * font);
}
struct Point {
  double x, y;
};
/// Draws a Bézier curve with control points from + out and to + in; `head`: with an arrowhead.
std::string curve(Point from, Point out, Point to, Point in, bool head = true) {
  return fmt::format(
      "<path class=\"edge\"{} d=\"M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} "
      "{:.0f}\"/>\n",
      head ? " marker-end=\"url(#end)\"" : "", from.x, from.y, from.x + out.x, from.y + out.y,
      to.x + in.x, to.y + in.y, to.x, to.y);
}
std::string box(double x, double y, double width, double height, const char* kind) {
  return fmt::format(
      "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\" "
      "class=\"{}\"/>\n",
      x, y, width, height, kind);
}
std::string picture(double width, double height, const std::string& title,
                    const std::string& elements, const std::string& gradients,
                    bool has_tangents = false) {
  std::string legend;
  double x = margin;
  const auto add = [&](const char* kind, const std::string& text) {
    legend += svg_text(x, height - margin, kind, text);
    x += width_of(text) + 35;
  };
  add("value", "values, forward →");
  if (has_tangents) add("tangent", "tangents, forward →");
  add("gradient", gradients);
  const double widest = std::max(x - 35 + margin, width_of(title) * 1.25 + 2 * margin);
  return svg_picture(
      static_cast<int>(std::max(width, widest)), static_cast<int>(height), title, style,
      "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#8a949f\"/></marker>"
      "</defs>\n" +
          fmt::format("<g font-size=\"{}\">\n", font) +
          svg_text(margin, margin + 10, "title", title, R"(font-size="16")") + elements + legend +
          "</g>\n");
}

// ---- an expression: a step's column is its longest path from the inputs

/// A step, or a point where an edge passes through a column.
struct Node {
  int step, column;
  double y, width = 0, height = 12, x = 0, wanted = 0;  // y: of the middle; wanted: the preferred y
  std::vector<std::size_t> others = {};                 ///< nodes connected by an edge
};

struct Edge {
  std::vector<std::size_t> through;  ///< nodes from the input to the op
  std::string label;                 ///< contribution to the gradient of the input
};

/// Returns the column of each step: the number of ops on the longest path from the inputs to the
/// step. An input is in the column before its first use.
std::vector<int> columns_of(const std::vector<ExplainedStep>& steps) {
  std::vector<int> columns(steps.size()), first(steps.size(), static_cast<int>(steps.size()));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const int from : steps[i].inputs) columns[i] = std::max(columns[i], columns[from] + 1);
    for (const int from : steps[i].inputs) first[from] = std::min(first[from], columns[i]);
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].op.empty()) columns[i] = first[i] - 1;
  return columns;
}

/// Moves each node vertically towards the mean position of its connected nodes, without overlaps
/// in a column.
void level(std::vector<Node>& nodes, std::vector<std::vector<std::size_t>>& columns) {
  for (int sweep = 0; sweep < 16; ++sweep)
    for (std::vector<std::size_t>& column : columns) {
      for (const std::size_t i : column) {
        nodes[i].wanted = 0;
        for (const std::size_t other : nodes[i].others)
          nodes[i].wanted += nodes[other].y / static_cast<double>(nodes[i].others.size());
      }
      std::stable_sort(column.begin(), column.end(), [&](std::size_t a, std::size_t b) {
        return nodes[a].wanted < nodes[b].wanted;
      });
      double top = -infinity, moved = 0;
      for (const std::size_t i : column) {
        nodes[i].y = std::max(nodes[i].wanted, top + nodes[i].height / 2);
        top = nodes[i].y + nodes[i].height / 2 + 22;
        moved += (nodes[i].y - nodes[i].wanted) / static_cast<double>(column.size());
      }
      for (const std::size_t i : column) nodes[i].y -= moved;
    }
}

/// Formats a contribution to a gradient in one line; if it is long, its root mean square.
std::string label_of(const Contribution& contribution) {
  std::string text = fmt::format("{}", fmt::join(matrix_lines(contribution.gradient), "; "));
  const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::unique(text.begin(), text.end(), both_blank), text.end());
  if (text.size() > 24) text = "rms " + summary(contribution.gradient);
  return contribution.summed.empty() ? text : "Σ " + text;
}

std::string expression_svg(const Explained& explained, const std::string& title) {
  const std::vector<ExplainedStep>& steps = explained.steps;
  const std::vector<int> column_of = columns_of(steps);
  std::vector<Node> nodes;
  std::vector<std::vector<std::size_t>> columns(column_of.back() + 1);
  const auto add = [&](const Node& node) {
    columns[node.column].push_back(nodes.size());
    nodes.push_back(node);
  };
  std::vector<std::vector<std::pair<const char*, std::string>>> texts(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    texts[i].emplace_back("title", steps[i].name);
    for (const std::string& text : matrix_lines(steps[i].value))
      texts[i].emplace_back("value", text);
    if (steps[i].tangent)
      for (const std::string& text : matrix_lines(steps[i].tangent))
        texts[i].emplace_back("tangent", text);
    if (steps[i].gradient)
      for (const std::string& text : matrix_lines(steps[i].gradient))
        texts[i].emplace_back("gradient", text);
    Node node{static_cast<int>(i), column_of[i], 60.0 * static_cast<double>(i)};
    for (const auto& [kind, text] : texts[i])
      node.width = std::max(node.width, width_of(text) + 20);
    node.height = 12 + line * static_cast<double>(texts[i].size());
    add(node);
  }
  std::vector<Edge> edges;
  std::vector<double> room(columns.size());  // width of the edge labels after each column
  for (std::size_t from = 0; from < steps.size(); ++from) {
    const std::vector<Contribution> contributions = explained.contributions(from);
    for (std::size_t to = from; to < steps.size(); ++to)
      for (std::size_t input = 0; input < steps[to].inputs.size(); ++input) {
        if (steps[to].inputs[input] != static_cast<int>(from)) continue;
        Edge edge{{from}, ""};
        const auto connect = [&](std::size_t node) {
          nodes[edge.through.back()].others.push_back(node);
          nodes[node].others.push_back(edge.through.back());
          edge.through.push_back(node);
        };
        for (int column = column_of[from] + 1; column < column_of[to]; ++column) {
          add({-1, column, nodes[from].y});
          connect(nodes.size() - 1);
        }
        connect(to);
        for (const Contribution& each : contributions)
          if (steps[from].gradient && each.step == to && each.input == input)
            edge.label = label_of(each);
        double& least = room[column_of[to] - 1];
        least = std::max(least, width_of(edge.label));
        edges.push_back(std::move(edge));
      }
  }
  level(nodes, columns);
  double x = margin, top = infinity, bottom = -infinity;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    double widest = 0;
    for (const std::size_t i : columns[column]) widest = std::max(widest, nodes[i].width);
    for (const std::size_t i : columns[column]) {
      if (nodes[i].step < 0) nodes[i].width = widest;
      nodes[i].x = x + (widest - nodes[i].width) / 2;
      top = std::min(top, nodes[i].y - nodes[i].height / 2);
      bottom = std::max(bottom, nodes[i].y + nodes[i].height / 2);
    }
    x += widest + room[column] + 48;
  }
  for (Node& node : nodes) node.y += margin + 34 - top;

  std::string lines, labels, boxes;
  for (const Edge& edge : edges) {
    const Node& to = nodes[edge.through.back()];
    // Edges to the same node end below each other, in the order of the nodes where they begin.
    const auto height = [&](const Edge& e) {
      return std::pair(nodes[e.through[e.through.size() - 2]].y, &e);
    };
    double before = 0, all = 0;
    for (const Edge& other : edges) {
      if (other.through.back() != edge.through.back()) continue;
      before += height(other) < height(edge) ? 1 : 0;
      all += 1;
    }
    const double end = to.y + (before - (all - 1) / 2) * std::min(26.0, to.height / all);
    for (std::size_t i = 0; i + 1 < edge.through.size(); ++i) {
      const Node &a = nodes[edge.through[i]], &b = nodes[edge.through[i + 1]];
      const bool ends = b.step >= 0;
      const double from = a.x + a.width, half = (b.x - from) / 2;
      lines += curve({from, a.y}, {half, 0}, {b.x, ends ? end : b.y}, {-half, 0}, ends);
      if (!ends) lines += curve({b.x, b.y}, {0, 0}, {b.x + b.width, b.y}, {0, 0}, false);
    }
    if (!edge.label.empty())
      labels += svg_text(to.x - 12, end - 5, "gradient label", edge.label, "text-anchor=\"end\"");
  }
  for (const Node& node : nodes) {
    if (node.step < 0) continue;
    double y = node.y - node.height / 2;
    boxes += box(node.x, y, node.width, node.height, "frame");
    for (const auto& [kind, text] : texts[node.step])
      boxes += svg_text(node.x + node.width / 2, y += line, kind, text,
                        "text-anchor=\"middle\" xml:space=\"preserve\"");
  }
  return picture(x - 24, bottom - top + 2 * margin + 76, title, lines + boxes + labels,
                 "gradients, backward ← · on edges: contributions (Σ: summed over axes)",
                 bool(steps.back().tangent));
}

// ---- a model: each module is a band with its ops in order

std::string model_svg(const Explained& explained, const std::string& title) {
  constexpr double left = 96, widest = 1240, height = 40, gap = 18, row = 62;
  const std::vector<ExplainedStep>& steps = explained.steps;
  struct Place {
    double x, y, width, band;  // band: y of the module's name
  };
  std::vector<Place> places(steps.size());
  std::string boxes, edges, module = "?";
  double x = left, y = margin + 22 - row, band = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ExplainedStep& step = steps[i];
    if (step.op.empty() && !step.parameter) continue;  // constants aren't drawn
    const std::string name =
        fmt::format("{} {}", i, step.name.substr(step.module.empty() ? 0 : step.module.size() + 1));
    const std::string value = summary(step.value), gradient = summary(step.gradient);
    const double width = std::max(width_of(name), width_of(value + "  " + gradient)) + 16;
    if (step.module != module) {
      module = step.module;
      y += row + 30;
      x = left;
      band = y - 18;
      boxes += svg_text(left, y - 14, "title", module.empty() ? "the model" : module);
    } else if (x + width > widest) {
      x = left;
      y += row;
    }
    places[i] = {x, y, width, band};
    boxes += box(x, y, width, height, step.parameter ? "given" : "frame") +
             svg_text(x + 8, y + line, step.parameter ? "soft" : "title", name) +
             svg_text(x + 8, y + 2 * line - 1, "value", value) +
             svg_text(x + width - 8, y + 2 * line - 1, "gradient", gradient, "text-anchor=\"end\"");
    x += width + gap;
  }
  std::set<std::pair<double, double>> between;  // connected modules, drawn once
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const int from : steps[i].inputs) {
      if (from < 0 || places[from].width == 0) continue;
      const Place &a = places[from], &b = places[i];
      const double bend = -std::min(70.0, 18 + (b.band - a.band) / 8);
      if (a.band != b.band) {
        if (between.emplace(a.band, b.band).second)
          edges += curve({left - 8, a.band}, {bend, 0}, {left - 8, b.band}, {bend, 0});
      } else if (a.y != b.y) {
        edges +=
            curve({a.x + a.width / 2, a.y + height}, {0, 14}, {b.x + b.width / 2, b.y}, {0, -14});
      } else if (b.x - a.x - a.width > gap + 1) {
        edges += curve({a.x + a.width / 2, a.y}, {10, -14}, {b.x + b.width / 2, b.y}, {-10, -14});
      } else {
        edges += curve({a.x + a.width, a.y + 20}, {0, 0}, {b.x, b.y + 20}, {0, 0});
      }
    }
  return picture(widest + margin, y + row + 2 * margin, title, edges + boxes,
                 "gradients, backward ← (root mean square of several elements)");
}

}  // namespace

std::string graph_svg(const Explained& explained, const std::string& title) {
  const bool is_model =
      any_of(explained.steps, [](const ExplainedStep& step) { return step.parameter; });
  return is_model ? model_svg(explained, title) : expression_svg(explained, title);
}

}  // namespace tapehead
