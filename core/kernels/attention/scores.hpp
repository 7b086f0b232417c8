#pragma once
// The scores of a tile, for forward and backward.
#include "masks.hpp"
#include "relative.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// scores = factor * q k^T plus relative keys and masks, minus infinity where a mask hides a key; q
/// (queries, width), k (keys, width). What the factor multiplies is stored in `scaled`, times the
/// factor unless that is 0, if `scaled` isn't null. The scores are the same bits either way.
template <class T>
void score(const Tile& tile, const Matrix<const T>& q, const Matrix<const T>& k,
           ByDistance<T>& by_distance, T* scores, T* scaled = nullptr) {
  const auto multiply = [&](T factor, T* to) {
    const Matrix<T> p = tile.matrix(to);
    p.transposed ? gemm<T>(k, q.t(), p.t(), factor) : gemm<T>(q, k.t(), p, factor);
    const Tensor& relative = tile.plan.relative_keys;
    if (relative) by_distance.add(tile, q, relative, factor, to);
    add_masks(tile, true, factor, to);
  };
  const T factor = static_cast<T>(tile.factor());
  multiply(factor, scores);
  if (scaled && factor != 0) std::copy_n(scores, tile.keys * tile.stride, scaled);
  if (scaled && factor == 0) multiply(1, scaled);
  add_masks(tile, false, T{1}, scores);
  hide(tile, scores);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
