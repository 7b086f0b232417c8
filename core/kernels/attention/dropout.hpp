#pragma once
// Dropout of the attention weights.
#include "../random/draws.hpp"
#include "tile.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// Which weights of a tile dropout keeps: the same as `dropout_weights` in core/ops.
class DropoutMask {
 public:
  explicit DropoutMask(const AttentionPlan& plan) : plan_(plan), dropout_(plan.dropout) {}

  /// Draws the bits of a tile in forward, and writes them to `all` for backward, unless that is
  /// null.
  void draw(const Tile& tile, std::uint32_t* all);
  /// Finds the bits in backward: in `all`, or drawn again if that is null.
  void find(const Tile& tile, const std::uint32_t* all);

  /// Applies dropout to the weights of a strip of queries, from query i of the tile on, or to their
  /// gradients.
  template <class T>
  void apply(Index i, Index keys, T* weights) const {
    if (plan_.dropout == 0) return;
    const Vec<T> scale(static_cast<T>(dropout_.scale()));
    for (Index j = 0; j < keys; ++j)
      for (Index r = i; r < i + logical_lanes<T>; r += lanes<T>) {
        T* const at = weights + j * query_block + r;
        keep(words_[j] >> r, scale, Vec<T>::load_unaligned(at)).store_unaligned(at);
      }
  }

 private:
  const AttentionPlan& plan_;
  DropoutDraw dropout_;
  const std::uint32_t* words_ = nullptr;  // bit i of each key's word belongs to query i of the tile
  std::uint32_t own_[key_tile];
};

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
