#pragma once
// Dropout of the attention kernel's weights.
#include <tapehead/core/attention_tile.hpp>

namespace tapehead {

/// 1 / (1 - p) for each weight of a tile that dropout keeps, 0 where it is dropped: what `dropout`
/// draws for the same element of (batch, heads, queries, keys).
template <class T>
class Kept {
 public:
  /// So many numbers of memory are needed for tiles of so many keys.
  static Index size(const AttentionPlan& plan, Index keys) {
    return plan.dropout > 0 ? 2 * query_block * keys : 0;
  }
  Kept(const AttentionPlan& plan, Index keys, T* memory)
      : plan_(plan), draw_(plan.dropout), kept_(memory), drawn_(memory + query_block * keys) {}

  void begin(const Tile& tile) {
    if (plan_.dropout == 0) return;
    RandomKey key = plan_.key;
    key.example += static_cast<std::uint32_t>(tile.b);
    const Index keys = plan_.n.keys;
    const Index start = (tile.h * plan_.n.queries + tile.first) * keys + tile.k0;
    // Rows of whole sequences are neighbours: drawing them together is quicker than one by one.
    const bool together = keys <= key_tile && 2 * tile.keys >= keys;
    if (together) draw_(key, start, tile.queries * keys, drawn_);
    for (Index i = 0; i < tile.queries && !together; ++i)
      draw_(key, start + i * keys, tile.keys, drawn_ + i * tile.keys);
    lay_out(tile, together ? keys : tile.keys);
  }
  /// To the weights of a strip of queries, from number i on, or to their gradients.
  void apply(Index i, Index keys, T* weights) const {
    if (plan_.dropout == 0) return;
    for (Index at = i; at < i + keys * query_block; at += query_block)
      (Vec<T>::load_unaligned(weights + at) * Vec<T>::load_unaligned(kept_ + at))
          .store_unaligned(weights + at);
  }

 private:
  /// As the scores of a tile are.
  void lay_out(const Tile& tile, Index stride) {
    for (Index i = 0; i < tile.queries; i += lanes<T>)
      for (Index j = 0; j < tile.keys; j += lanes<T>) {
        Square<T> square;
        unrolled<lanes<T>>([&](auto l) {
          const T* row = drawn_ + std::min(i + l, tile.queries - 1) * stride;
          square[l] = load_part(row + j, std::min(lanes<T>, tile.keys - j));
        });
        transpose(square);
        unrolled<lanes<T>>([&](auto l) {
          if (j + l < tile.keys) square[l].store_unaligned(kept_ + (j + l) * query_block + i);
        });
      }
  }

  const AttentionPlan& plan_;
  DropoutDraw draw_;
  T *kept_, *drawn_;  // (keys, query_block), (queries, keys)
};

}  // namespace tapehead
