#pragma once
#include "../../core/plural.hpp"
#include "pair_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace tapehead {

/// Counts rows that occur twice, and sources that have several targets.
class Repetitions {
 public:
  void add(const Pair& pair, bool is_apart) {
    const std::hash<std::string_view> hash;
    all_.push_back({hash(pair.source), hash(pair.target), is_apart});
  }

  /// Returns the counts as text: ` · 2 duplicates · 1 source with several targets`.
  std::string text() {
    std::sort(all_.begin(), all_.end());
    Index duplicates = 0, contradictions = 0, shared = 0;
    for (std::size_t first = 0, end = 0; first < all_.size(); first = end) {
      bool differ = false;
      std::array<Index, 2> rows = {};  // of --data and of --held-out
      for (; end < all_.size() && all_[end].source == all_[first].source; ++end) {
        ++rows[all_[end].is_apart ? 1 : 0];
        if (end == first) continue;
        const bool equal = all_[end].target == all_[end - 1].target;
        duplicates += equal ? 1 : 0;
        differ |= !equal;
      }
      contradictions += differ ? 1 : 0;
      shared += rows[0] > 0 ? rows[1] : 0;
    }
    std::string text;
    if (duplicates > 0) text += fmt::format(" · {}", plural(duplicates, "duplicate"));
    if (contradictions > 0)
      text += fmt::format(" · {} with several targets", plural(contradictions, "source"));
    if (shared > 0)
      text += fmt::format(" · {} with a source of the training data",
                          plural(shared, "validation pair"));
    return text;
  }

 private:
  struct Hashes {
    std::size_t source, target;
    bool is_apart;
    bool operator<(const Hashes& other) const {
      return std::tie(source, target) < std::tie(other.source, other.target);
    }
  };
  std::vector<Hashes> all_;
};

}  // namespace tapehead
