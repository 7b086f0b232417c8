#include "formats.hpp"
#include "heatmap.hpp"

namespace tapehead {

std::string attention_text(const std::vector<AttentionMap>& maps, const Terminal& terminal) {
  std::string text;
  for (const AttentionMap& map : maps) {
    std::vector<std::string> heads;
    for (Index i = 0; i < map.heads(); ++i) {
      const std::string rule = map.rule(i);
      const std::string title = map.title(i) + (rule.empty() ? "" : " · " + rule);
      heads.push_back(paint(terminal, Style::bold, title) + '\n' +
                      heatmap(map.head(i), map.queries, map.keys, terminal));
    }
    text += (text.empty() ? "" : "\n") + side_by_side(heads, terminal.width);
  }
  return text;
}

}  // namespace tapehead
