#pragma once
// Splits text into grapheme clusters.
#include <cstddef>
#include <string_view>

namespace tapehead {

/// A character with its combining marks, variation selectors, skin tones and joined emoji.
struct Cluster {
  std::size_t bytes = 0;
  int width = 0;  ///< columns of a terminal
};
/// Returns the first cluster of a non-empty text. An invalid byte is a cluster of one column.
Cluster first_cluster(std::string_view text);

}  // namespace tapehead
