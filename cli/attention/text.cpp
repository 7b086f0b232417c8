#include "formats.hpp"
#include "heatmap.hpp"

namespace tapehead {

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
