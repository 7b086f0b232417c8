#pragma once
// Dropout of attention weights.
#include "../random/draws.hpp"
#include "tile.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// The dropout mask of a tile. It has the same bits as the mask of `dropout_weights` in core/ops.
class DropoutMask {
 public:
  explicit DropoutMask(const AttentionPlan& plan) : plan_(plan), dropout_(plan.dropout) {}

  /// For forward: draws the bits of a tile. If `all` isn't null, saves them in `all` for backward.
  void draw(const Tile& tile, std::uint32_t* all);
  /// For backward: reads the bits of a tile from `all`, or draws them again if `all` is null.
  void find(const Tile& tile, const std::uint32_t* all);

  /// Applies dropout to the weights, or the gradients of weights, of the strip of queries that
  /// begins at query i of the tile.
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
  const std::uint32_t* words_ = nullptr;  // a word for each key, with a bit for each query
  std::uint32_t own_[key_tile];
};

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
