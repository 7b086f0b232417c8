#pragma once
// Dropout of attention weights.
#include "../random/draws.hpp"
#include "tile.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// The dropout mask of a tile, equal to the mask of `dropout_weights` in core/ops.
class DropoutMask {
 public:
  explicit DropoutMask(const AttentionPlan& plan) : plan_(plan), dropout_(plan.dropout) {}

  /// Draws the bits of a tile in forward. Saves them in `all` for backward unless `all` is null.
  void draw(const Tile& tile, std::uint32_t* all);
  /// Gets the bits in backward: reads them from `all`, or draws them again if `all` is null.
  void find(const Tile& tile, const std::uint32_t* all);

  /// Applies dropout to the weights, or their gradients, of a strip of queries from query i of the
  /// tile on.
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
