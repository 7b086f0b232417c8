#pragma once
// The part of the scores that the attention kernel has in hand, in both directions. A query has a
// lane of the registers, in which its largest score and its sum of exponentials are found without a
// look across.
#include "attention.hpp"
#include "matrices.hpp"

#include <limits>

namespace tapehead {

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

/// A block of queries of one head of one example, from `first` on, and the keys from k0 on: the
/// score of query first + i and key k0 + j is element j * stride + i.
struct Tile {
  const AttentionPlan& plan;
  Index b, h, first, queries, k0, keys;
  Index stride = query_block;

  /// (queries, keys), transposed unless a query alone has its scores side by side.
  template <class T>
  Matrix<T> matrix(T* scores) const {
    if (stride == 1) return {scores, queries, keys, keys};
    return {scores, queries, keys, stride, true};
  }
  /// Those rows of a head's matrix that belong to the queries, (queries, width), and to the keys.
  template <class T>
  Matrix<T> of_queries(const HeadView<T>& m, Index width) const {
    return m(b, h, first, queries, width);
  }
  template <class T>
  Matrix<T> of_keys(const HeadView<T>& m, Index width) const {
    return m(b, plan.n.kv_head(h), k0, keys, width);
  }
  /// Where its words lie among all that say what dropout keeps.
  Index kept() const {
    const AttentionSizes& n = plan.n;
    return ((b * n.heads + h) * plan.blocks() + first / query_block) * n.keys + k0;
  }
  /// What the head's scores are multiplied by.
  double factor() const { return plan.factors[static_cast<std::size_t>(h)]; }
  /// How many of the keys query number i may see by causality; and the first query that may see key
  /// number j.
  Index seen(Index i) const { return std::clamp<Index>(plan.seen(first + i) - k0, 0, keys); }
  Index begin(Index j) const {
    return std::clamp<Index>(plan.first_seeing(k0 + j) - first, 0, queries);
  }
  /// Calls work(i, end, keys) for the queries i to end - 1, as many as a register has lanes: none
  /// of them sees more than so many keys.
  template <class T, class F>
  void each_strip(const F& work) const {
    for (Index i = 0; i < queries; i += lanes<T>) {
      const Index end = std::min(i + lanes<T>, queries);
      work(i, end, seen(end - 1));
    }
  }
  /// Calls work(j, end, begin) for the keys j to end - 1, those that all queries see together, the
  /// others as many as a register has lanes: no query before number `begin` sees any.
  template <class T, class F>
  void each_strip_of_keys(const F& work) const {
    const Index all = seen(0) / lanes<T> * lanes<T>;
    if (all > 0) work(0, all, 0);
    for (Index j = all; j < keys; j += lanes<T>) work(j, std::min(j + lanes<T>, keys), begin(j));
  }
  /// Hides from the queries of a strip what comes after them: it becomes minus infinity.
  template <class T>
  void hide_later(Index i, Index strip_keys, T* scores) const {
    const Vec<T> number = lane_numbers<T>() + Vec<T>(static_cast<T>(i));
    for (Index j = seen(i); j < strip_keys; ++j) {
      T* const at = scores + j * stride + i;
      xsimd::select(number < Vec<T>(static_cast<T>(begin(j))), Vec<T>(minus_infinity<T>),
                    Vec<T>::load_unaligned(at))
          .store_unaligned(at);
    }
  }
};

template <class T>
void scale_row(T* y, Index n, T factor) {
  const Vec<T> by(factor);
  map_row(
      y, n, [=](auto v) { return v * by; }, static_cast<const T*>(y));
}

}  // namespace tapehead
