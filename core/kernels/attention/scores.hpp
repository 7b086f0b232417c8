#pragma once
// The scores of a tile for forward and backward, and the use of relative keys and values.
#include "masks.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// A matrix (queries, distances): one element for each query of a block and each row of the
/// relative tables.
template <class T>
class ByDistance {
 public:
  /// Returns the required number of elements of `memory`.
  static Index size(const AttentionPlan& plan) { return query_block * plan.distances(); }
  ByDistance(const AttentionPlan& plan, T* memory) : distances_(plan.distances()), data_(memory) {}

  /// Returns relative keys or values as a matrix, (distances, width).
  Matrix<const T> table(const Tensor& t) const { return matrix(t.data<T>(), distances_, t.dim(1)); }
  /// Multiplies x (queries, width) by the transpose of `relative` (distances, width) and by
  /// `factor`. To each score of the tile, adds the element of the product for the score's query and
  /// distance.
  void add(const Tile& tile, const Matrix<const T>& x, const Tensor& relative, T factor,
           T* scores) {
    gemm<T>(x, table(relative).t(), matrix(data_, x.rows, distances_), factor);
    each(tile, [&](Index at, Index element) { scores[at] += data_[element]; });
  }
  /// Sums the scores of the keys that have the same distance from a query. Returns (queries,
  /// distances).
  Matrix<const T> sum(const Tile& tile, const T* scores) {
    const auto sums = matrix(data_, tile.queries, distances_);
    clear(sums);
    each(tile, [&](Index at, Index element) { data_[element] += scores[at]; });
    return sums;
  }

 private:
  /// Calls f(score, element) with the index of each visible score of a tile and the index of the
  /// element for its query and distance. Skips extra keys and keys hidden by causality.
  template <class F>
  void each(const Tile& tile, const F& f) const {
    const Index reach = distances_ / 2, extra = tile.plan.extra;
    for (Index j = std::max<Index>(extra - tile.k0, 0); j < tile.keys; ++j)
      for (Index i = tile.begin(j); i < tile.queries; ++i) {
        const Index distance = tile.k0 + j - extra - tile.plan.position(tile.first + i);
        f(j * tile.stride + i, i * distances_ + std::clamp<Index>(distance, -reach, reach) + reach);
      }
  }

  Index distances_;
  T* data_;
};

/// Computes the scores of q (queries, width) and k (keys, width): factor * q k^T plus relative keys
/// and masks, or minus infinity where a mask hides a key. If `scaled` isn't null, also writes the
/// scores before masks to it, multiplied by the factor unless the factor is 0. The scores are
/// bitwise identical with and without `scaled`.
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
