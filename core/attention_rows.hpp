#pragma once
// What the attention kernel does to the scores of one query and a tile of keys, in both directions.
#include <tapehead/core/attention_kernel.hpp>
#include <tapehead/core/attention_matrices.hpp>

namespace tapehead {

constexpr Index query_block = 32, key_tile = 512;

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

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
/// The gradient of a softmax: dp becomes p (dp - mean), where `mean` is the sum of p dp, which is
/// dy . y; zero where the weight is, whatever is there.
template <class T>
void softmax_backward(T* dp, const T* p, Index n, T mean) {
  const Vec<T> shift(mean), none(T{0});
  map_row(
      dp, n, [&](auto g, auto a) { return xsimd::select(a == none, none, a * (g - shift)); },
      static_cast<const T*>(dp), p);
}

template <class T>
T dot(const T* a, const T* b, Index n) {
  return sum_row(
      n, [](auto x, auto y) { return x * y; }, a, b);
}
/// The sum over j of a[j] b[j], in double; a's zeros count for nothing, whatever b is there.
template <class T>
double dot_where_not_zero(const T* a, const T* b, Index n) {
  double sum = 0;
  for (Index j = 0; j < n; ++j)
    if (a[j] != 0) sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
  return sum;
}

template <class T>
void multiply_row(T* y, const T* x, Index n) {
  map_row(
      y, n, [](auto a, auto b) { return a * b; }, static_cast<const T*>(y), x);
}

/// One query of one head of one example, beside the keys of a tile from `first` on, of which it may
/// see `seen` by causality.
template <class T>
struct Row {
  const AttentionPlan& plan;
  Index b, h, query, first, seen;

  Row(const AttentionPlan& p, Index example, Index head, Index q, Index first_key, Index keys)
      : plan(p),
        b(example),
        h(head),
        query(q),
        first(first_key),
        seen(std::clamp<Index>(p.seen(q) - first_key, 0, keys)) {}

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

  /// Adds this row's gradient to that of the masks, laid out as they are; null where none is
  /// wanted.
  void collect_masks(const T* dscores, T factor, const std::vector<T*>& gradients) const {
    for (std::size_t m = 0; m < gradients.size(); ++m) {
      if (!gradients[m]) continue;
      const T by = plan.masks[m].before_scale ? factor : T{1};
      each(plan.masks[m], [&](Index j, Index at) { gradients[m][at] += by * dscores[j]; });
    }
  }

  /// Calls f(j, the row of the relative tables for key j), for the keys that have a place.
  template <class F>
  void each_distance(Index reach, F f) const {
    const Index start = first - plan.extra - plan.place(query);
    for (Index j = begin(); j < seen; ++j)
      f(j, std::clamp<Index>(start + j, -reach, reach) + reach);
  }
  /// y[j] += by_distance[that of key j].
  void add_distances(T* y, const T* by_distance, Index distances) const {
    each_distance(distances / 2, [&](Index j, Index c) { y[j] += by_distance[c]; });
  }
  /// The transpose of that: what the keys of each distance have, added up.
  void sum_distances(T* by_distance, const T* x, Index distances) const {
    std::fill_n(by_distance, distances, T{0});
    each_distance(distances / 2, [&](Index j, Index c) { by_distance[c] += x[j]; });
  }
};

}  // namespace tapehead
