#pragma once
// Characters with what is drawn together with them.
#include <cstddef>
#include <string_view>

namespace tapehead {

/// A character and what joins it: marks, variation selectors, skin tones, emoji after a joiner.
struct Cluster {
  std::size_t bytes = 0;
  int width = 0;  ///< columns of a terminal
};
/// The one that a text begins with, which mustn't be empty. An invalid byte is one of 1 column.
Cluster first_cluster(std::string_view text);

}  // namespace tapehead
