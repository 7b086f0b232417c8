#pragma once
// A tile of the scores, the unit of work of the attention kernels. Each query has a lane of the
// registers, so the query's maximum and sum need no reduction across lanes.
#include "attention.hpp"
#include "matrices.hpp"

#include <limits>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

/// The scores of `queries` queries, from query `first` on, and `keys` keys, from key k0 on, in one
/// head of one example. The score of query first + i and key k0 + j is element j * stride + i.
struct Tile {
  const AttentionPlan& plan;
  Index b, h, first, queries, k0, keys;
  Index stride = query_block;

  /// Returns the scores as a matrix (queries, keys), transposed unless the stride is 1.
  template <class T>
  Matrix<T> matrix(T* scores) const {
    if (stride == 1) return {scores, queries, keys, keys};
    return {scores, queries, keys, stride, true};
  }
  /// Return the rows of a head's matrix for the queries or the keys of the tile, (rows, width).
  template <class T>
  Matrix<T> queries_rows(const HeadView<T>& m, Index width) const {
    return m(b, h, first, queries, width);
  }
  template <class T>
  Matrix<T> keys_rows(const HeadView<T>& m, Index width) const {
    return m(b, plan.n.kv_head(h), k0, keys, width);
  }
  /// Returns the index of this tile's first word in the saved dropout bits.
  Index kept() const {
    const AttentionSizes& n = plan.n;
    return ((b * n.heads + h) * plan.blocks() + first / query_block) * n.keys + k0;
  }
  /// Returns whether this is the first tile of keys for the block of queries.
  bool is_first() const { return k0 == plan.first_tile(first); }
  double factor() const { return plan.factors[h]; }
  /// Returns the number of keys of this tile that query i of the tile may see under causality.
  Index seen(Index i) const { return std::clamp<Index>(plan.seen(first + i) - k0, 0, keys); }
  /// Returns the index, in this tile, of the first query that may see key j of the tile under
  /// causality.
  Index begin(Index j) const {
    return std::clamp<Index>(plan.first_query_seeing(k0 + j) - first, 0, queries);
  }
  /// Splits the queries into strips of one logical register each, and calls work(i, end, keys) for
  /// the strip of queries i to end - 1. These queries see at most the first `keys` keys of the
  /// tile.
  template <class T, class F>
  void for_each_strip(const F& work) const {
    for (Index i = 0; i < queries; i += logical_lanes<T>) {
      const Index end = std::min(i + logical_lanes<T>, queries);
      work(i, end, seen(end - 1));
    }
  }
  /// Splits the keys into strips, and calls work(j, end, begin) for the strip of keys j to end - 1.
  /// Queries before `begin` see none of these keys. The first strip contains all keys that every
  /// query sees. The other strips have one logical register each.
  template <class T, class F>
  void for_each_strip_of_keys(const F& work) const {
    constexpr Index wide = logical_lanes<T>;
    const Index all = seen(0) / wide * wide;
    if (all > 0) work(0, all, 0);
    for (Index j = all; j < keys; j += wide) work(j, std::min(j + wide, keys), begin(j));
  }
  /// For the strip of queries that begins at query i, sets the scores of all keys after each query
  /// to minus infinity.
  template <class T>
  void hide_later(Index i, Index strip_keys, T* scores) const {
    for (Index r = i; r < i + logical_lanes<T>; r += lanes<T>) {
      const Vec<T> number = lane_numbers<T>() + Vec<T>(static_cast<T>(r));
      for (Index j = seen(i); j < strip_keys; ++j) {
        T* const at = scores + j * stride + r;
        xsimd::select(number < Vec<T>(static_cast<T>(begin(j))), Vec<T>(minus_infinity<T>),
                      Vec<T>::load_unaligned(at))
            .store_unaligned(at);
      }
    }
  }
};

template <class T>
void scale_row(T* y, Index n, T factor) {
  const Vec<T> by(factor);
  map_row(
      y, n, [=](auto v) { return v * by; }, static_cast<const T*>(y));
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
