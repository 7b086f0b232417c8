#pragma once
// The scores of a tile, for forward and backward.
#include "masks.hpp"
#include "relative.hpp"

namespace tapehead {

/// scores = factor * q k^T plus relative keys and masks, minus infinity where a mask hides a key; q
/// (queries, width), k (keys, width). What the factor multiplies is stored in `unscaled`, unless
/// that is null.
template <class T>
void score(const Tile& tile, const Matrix<const T>& q, const Matrix<const T>& k,
           ByDistance<T>& by_distance, T* scores, T* unscaled = nullptr) {
  const T factor = static_cast<T>(tile.factor()), before = unscaled ? T{1} : factor;
  const Matrix<T> p = tile.matrix(scores);
  p.transposed ? gemm(k, q.t(), p.t(), before) : gemm(q, k.t(), p, before);
  const Tensor& relative = tile.plan.relative_keys;
  if (relative) by_distance.add(tile, q, relative, before, scores);
  add_masks(tile, true, before, scores);
  if (unscaled) {
    std::copy_n(scores, tile.keys * tile.stride, unscaled);
    scale_row(scores, tile.keys * tile.stride, factor);
  }
  add_masks(tile, false, T{1}, scores);
  hide(tile, scores);
}

}  // namespace tapehead
