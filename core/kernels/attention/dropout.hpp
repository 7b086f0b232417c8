#pragma once
// Dropout of the attention kernel's weights.
#include "../dropout_bits.hpp"
#include "tile.hpp"

namespace tapehead {

/// Which weights of a tile dropout keeps: what `dropout` would, given all of them, (batch, heads,
/// queries, keys).
class Kept {
 public:
  explicit Kept(const AttentionPlan& plan) : plan_(plan), dropout_(plan.dropout) {}

  /// In forward; for backward they are written to `all` as well, unless that is null.
  void draw(const Tile& tile, std::uint32_t* all);
  /// In backward: again, if they weren't written.
  void find(const Tile& tile, const std::uint32_t* all);

  /// To the weights of a strip of queries, from number i on, or to their gradients.
  template <class T>
  void apply(Index i, Index keys, T* weights) const {
    if (plan_.dropout == 0) return;
    const Vec<T> scale(static_cast<T>(dropout_.scale()));
    for (Index j = 0; j < keys; ++j) {
      T* const at = weights + j * query_block + i;
      keep(words_[j] >> i, scale, Vec<T>::load_unaligned(at)).store_unaligned(at);
    }
  }

 private:
  const AttentionPlan& plan_;
  DropoutDraw dropout_;
  const std::uint32_t* words_ = nullptr;  // bit i of each key's is that of query number i
  std::uint32_t own_[key_tile];
};

}  // namespace tapehead
