#pragma once
// What the attention kernel does to the matrices of a head, in both directions.
#include "../gemm/gemm.hpp"
#include "../simd.hpp"

namespace tapehead {

/// Whether all elements are finite: x * 0 is NaN for those that aren't, and so is a sum with it.
template <class T>
bool all_finite(const Matrix<const T>& x) {
  constexpr Index together = 4;  // sums, each of which waits for itself alone
  const Vec<T> zero(T{0});
  Vec<T> sums[together];
  unrolled<together>([&](auto r) { sums[r] = zero; });
  for (Index j = 0; j < x.columns; j += lanes<T>) {
    const Index part = std::min(lanes<T>, x.columns - j);
    const T* row = x.data + j;
    Index i = 0;
    for (; i + together <= x.rows; i += together, row += together * x.stride)
      unrolled<together>([&](auto r) {
        sums[r] = xsimd::fma(load_part(row + r * x.stride, part), zero, sums[r]);
      });
    for (; i < x.rows; ++i, row += x.stride)
      sums[0] = xsimd::fma(load_part(row, part), zero, sums[0]);
  }
  return xsimd::all((sums[0] + sums[1]) + (sums[2] + sums[3]) == zero);
}

/// Zeros. Rows of a head are so short that a call of memset for each takes longer.
template <class T>
void clear(const Matrix<T>& x) {
  const Vec<T> zero(T{0});
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; j += lanes<T>)
      store_part(x.data + i * x.stride + j, std::min(lanes<T>, x.columns - j), zero);
}

/// Sets out for the second-level cache: in the first there is room for what is in hand alone.
/// Inlined, since to the compiler a function of prefetches alone does nothing.
template <class T>
[[gnu::always_inline]] inline void fetch(const Matrix<T>& x) {
  constexpr Index line = 64 / sizeof(T);
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; j += line) __builtin_prefetch(x.data + i * x.stride + j, 0, 2);
}

/// The sum of the products of a's elements with b's, in double; a's zeros count for nothing,
/// whatever b is there.
template <class T>
double dot_where_not_zero(const Matrix<T>& a, const Matrix<T>& b) {
  if (a.transposed) return dot_where_not_zero(a.t(), b.t());
  double sum = 0;
  for (Index i = 0; i < a.rows; ++i)
    for (Index at = i * a.stride; at < i * a.stride + a.columns; ++at)
      if (a.data[at] != 0) sum += static_cast<double>(a.data[at]) * static_cast<double>(b.data[at]);
  return sum;
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

}  // namespace tapehead
