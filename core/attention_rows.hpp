#pragma once
// What the attention kernel does to the scores of one query and a tile of keys, in both directions.
#include <tapehead/core/attention_kernel.hpp>
#include <tapehead/core/simd.hpp>

namespace tapehead {

constexpr Index query_block = 32, key_tile = 512;

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

/// Whether all elements are finite: x * 0 is NaN for those that aren't.
template <class T>
bool all_finite(const Matrix<const T>& x) {
  const Vec<T> zero(T{0});
  auto finite = zero == zero;
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; j += lanes<T>)
      finite =
          finite &
          (load_part(x.data + i * x.stride + j, std::min(lanes<T>, x.columns - j)) * zero == zero);
  return xsimd::all(finite);
}

/// Zeros. Rows of a head are so short that a call of memset for each takes longer.
template <class T>
void clear(const Matrix<T>& x) {
  const Vec<T> zero(T{0});
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; j += lanes<T>)
      store_part(x.data + i * x.stride + j, std::min(lanes<T>, x.columns - j), zero);
}

/// c = factor * w x, or c += it, where an element of x that isn't finite counts only under a weight
/// that isn't zero: 0 * NaN is NaN, but a masked-out key must not be seen.
template <class T>
void weigh(const Matrix<const T>& w, const Matrix<const T>& x, const Matrix<T>& c, T factor,
           bool accumulate, bool finite) {
  if (finite) return gemm(w, x, c, factor, accumulate);
  if (!accumulate) clear(c);
  for (Index i = 0; i < c.rows; ++i) {
    T* row = c.data + i * c.stride;
    for (Index j = 0; j < x.rows; ++j) {
      const T weight =
          factor * (w.transposed ? w.data[j * w.stride + i] : w.data[i * w.stride + j]);
      if (weight == 0) continue;
      for (Index l = 0; l < c.columns; ++l) row[l] += weight * x.data[j * x.stride + l];
    }
  }
}

/// exp(x - shift) in place for the first `seen`, zeros for the others. Their sum.
template <class T>
T exponentials(T* row, Index seen, Index columns, T shift) {
  if (shift == minus_infinity<T>) seen = 0;  // nothing may be attended to
  const Vec<T> by(shift);
  Vec<T> sum(T{0});
  Index j = 0;
  for (; j < seen; j += lanes<T>) {
    // Whole registers are stored as far as the row reaches: what is read next waits for no parts.
    const Vec<T> e = exp(load_part(row + j, std::min(lanes<T>, seen - j), minus_infinity<T>) - by);
    store_part(row + j, std::min(lanes<T>, columns - j), e);
    sum += e;
  }
  clear(matrix(row + j, 1, columns - j));
  return xsimd::hadd(sum);
}

template <class T>
void scale_row(T* y, Index n, T factor) {
  const Vec<T> by(factor);
  map_row(
      y, n, [=](auto v) { return v * by; }, static_cast<const T*>(y));
}
template <class T>
void multiply_row(T* y, const T* x, Index n) {
  map_row(
      y, n, [](auto a, auto b) { return a * b; }, static_cast<const T*>(y), x);
}

/// One query of one head of one example, beside the keys from `first` to first + seen - 1.
template <class T>
struct Row {
  const AttentionPlan& plan;
  Index b, h, query, first, seen;

  /// The first key of the tile that has a place.
  Index begin() const { return std::clamp<Index>(plan.extra - first, 0, seen); }

  /// Calls f(j, element) for the keys j of the tile that the mask has an element for.
  template <class F>
  void each(const AttentionMask& mask, F f) const {
    const Index at = mask.first + b * mask.strides[0] + h * mask.strides[1] +
                     query * mask.strides[2] + (first - plan.extra) * mask.strides[3];
    for (Index j = begin(); j < seen; ++j) f(j, at + j * mask.strides[3]);
  }
  /// Adds the masks that are added before scaling, or those after it, times `factor`.
  void add_masks(T* scores, bool before_scale, T factor) const {
    for (const AttentionMask& mask : plan.masks) {
      if (mask.before_scale != before_scale || !mask.values.is_float()) continue;
      const T* added = mask.values.template data<T>();
      each(mask, [&](Index j, Index at) {
        if (added[at] != minus_infinity<T>) scores[j] += factor * added[at];
      });
    }
  }
  /// What may not be seen becomes minus infinity, whatever it was.
  void hide(T* scores) const {
    for (const AttentionMask& mask : plan.masks)
      if (mask.values.is_float()) {
        const T* added = mask.values.template data<T>();
        each(mask, [&](Index j, Index at) {
          if (added[at] == minus_infinity<T>) scores[j] = minus_infinity<T>;
        });
      } else {
        const auto* may = mask.values.template data<std::int32_t>();
        each(mask, [&](Index j, Index at) {
          if (!may[at]) scores[j] = minus_infinity<T>;
        });
      }
    const Index self = plan.extra + plan.place(query) - first;
    if (plan.hide_self && self >= begin() && self < seen) scores[self] = minus_infinity<T>;
  }

  /// Calls f(j, the row of the relative tables for key j), for the keys that have a place.
  template <class F>
  void each_distance(Index reach, F f) const {
    const Index start = first - plan.extra - plan.place(query);
    for (Index j = begin(); j < seen; ++j)
      f(j, std::clamp<Index>(start + j, -reach, reach) + reach);
  }
};

/// 1 / (1 - p) for each weight of a tile that dropout keeps, 0 where it is dropped: what `dropout`
/// draws for the same element of (batch, heads, queries, keys).
template <class T>
class Kept {
 public:
  /// memory (query_block, tile)
  Kept(const AttentionPlan& plan, T* memory)
      : plan_(plan), draw_(plan.dropout), key_(plan.key), memory_(memory) {}

  void begin(const Row<T>& first, Index rows, Index columns) {
    if (plan_.dropout == 0) return;
    key_ = plan_.key;
    key_.example += static_cast<std::uint32_t>(first.b);
    // Rows of whole sequences are neighbours: drawing them together is quicker than one by one.
    together_ = plan_.n.keys <= key_tile && 2 * columns >= plan_.n.keys;
    if (together_) draw_(key_, start(first), rows * plan_.n.keys, memory_);
  }
  void apply(const Row<T>& row, Index i, T* x) {
    if (plan_.dropout == 0) return;
    if (!together_) draw_(key_, start(row), row.seen, memory_);
    again(row, i, x);
  }
  /// The same row once more.
  void again(const Row<T>& row, Index i, T* x) const {
    if (plan_.dropout > 0)
      multiply_row(x, together_ ? memory_ + i * plan_.n.keys : memory_, row.seen);
  }

 private:
  Index start(const Row<T>& row) const {
    return (row.h * plan_.n.queries + row.query) * plan_.n.keys + row.first;
  }

  const AttentionPlan& plan_;
  DropoutDraw draw_;
  RandomKey key_;
  T* memory_;
  bool together_ = false;
};

}  // namespace tapehead
