#pragma once
// The softmax of the scores and its gradient, for one strip of queries at a time.
#include "../softmax.hpp"
#include "tile.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// Returns the number to subtract before exp: `top`, or 0 for a query that may attend to no key,
/// whose `top` is minus infinity.
template <class T>
Vec<T> shift_of(const Vec<T>& top) {
  return xsimd::select(top == Vec<T>(minus_infinity<T>), Vec<T>(T{0}), top);
}

/// An online softmax. For each query, `top` is the largest score of the tiles so far, and `sum` is
/// the sum of exp(score - top). `shrink` is the factor by which the last tile rescaled the earlier
/// sum.
template <class T>
struct RunningSoftmax {
  alignas(64) T top[query_block];
  alignas(64) T sum[query_block];
  alignas(64) T shrink[query_block];

  void begin() {
    std::fill_n(top, query_block, minus_infinity<T>);
    std::fill_n(sum, query_block, T{0});
  }
  /// Adds a tile: replaces the scores of the strip of queries that begins at query i by exp(score -
  /// top), and updates top, sum and shrink.
  void add(const Tile& tile, Index i, Index keys, T* scores) {
    if (tile.stride == 1) return add_single(keys, scores);
    for (Index r = i; r < i + logical_lanes<T>; r += lanes<T>) add_register(r, keys, scores);
  }

 private:
  /// Does the same as `add` for one register of queries.
  void add_register(Index i, Index keys, T* scores) {
    const auto before = Vec<T>::load_aligned(top + i);
    Vec<T> now = before;
    for (Index j = 0; j < keys; ++j)
      now = kernel::max(Vec<T>::load_unaligned(scores + j * query_block + i), now);
    const Vec<T> shift = shift_of(now), less = kernel::exp(before - shift);
    Vec<T> total = Vec<T>::load_aligned(sum + i) * less;
    for (Index j = 0; j < keys; ++j) {
      T* const at = scores + j * query_block + i;
      const Vec<T> e = kernel::exp(Vec<T>::load_unaligned(at) - shift);
      e.store_unaligned(at);
      total += e;
    }
    now.store_aligned(top + i);
    total.store_aligned(sum + i);
    less.store_aligned(shrink + i);
  }
  /// Does the same as `add` for a single query. The lanes of a register are keys.
  void add_single(Index keys, T* scores) {
    const T* const x = scores;
    const T now = std::max(top[0], max_row(x, keys));
    const Vec<T> shift = shift_of(Vec<T>(now));
    map_row(
        scores, keys, [&](auto score) { return kernel::exp(score - shift); }, x);
    shrink[0] = kernel::exp(top[0] - shift.get(0));
    sum[0] = sum[0] * shrink[0] + sum_row(x, keys);
    top[0] = now;
  }
};

/// Works on the register of queries that begins at query i of the tile. Replaces the scores in
/// `weights` by the weights, computed with `lse`, the log-sum-exp. Replaces dweights by the
/// gradient of the scores, p (dp - mean), where `mean` is the sum of p dp. The gradient is zero
/// where the weight is zero, even if dp isn't finite, and for keys from `keys` on.
template <class T>
void softmax_backward(const Tile& tile, Index i, Index keys, const Vec<T>& lse, const Vec<T>& mean,
                      T* weights, T* dweights) {
  const Vec<T> shift = shift_of(lse), none(T{0});
  Index at = i;
  for (; at < i + keys * query_block; at += query_block) {
    const Vec<T> p = kernel::exp(Vec<T>::load_unaligned(weights + at) - shift);
    p.store_unaligned(weights + at);
    const Vec<T> dp = p * (Vec<T>::load_unaligned(dweights + at) - mean);
    xsimd::select(p == none, none, dp).store_unaligned(dweights + at);
  }
  for (; at < tile.keys * query_block; at += query_block) {
    none.store_unaligned(weights + at);
    none.store_unaligned(dweights + at);
  }
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
