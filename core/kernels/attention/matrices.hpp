#pragma once
// Operations on the matrices of a head, for forward and backward.
#include "../functions/numbers.hpp"
#include "../gemm/multiply.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// Returns whether all elements are finite. The sum of x * 0 is NaN if an x is infinite or NaN.
template <class T>
bool all_finite(const Matrix<const T>& x) {
  constexpr Index together = 4;  // independent sums hide the latency of additions
  const Vec<T> zero(T{0});
  Vec<T> sums[together];
  unrolled<together>([&](auto r) { sums[r] = zero; });
  for (Index j = 0; j < x.columns; j += lanes<T>) {
    const Index part = std::min(lanes<T>, x.columns - j);
    const T* row = x.data + j;
    Index i = 0;
    for (; i + together <= x.rows; i += together, row += together * x.stride)
      unrolled<together>(
          [&](auto r) { sums[r] = fma(load_partial(row + r * x.stride, part), zero, sums[r]); });
    for (; i < x.rows; ++i, row += x.stride) sums[0] = fma(load_partial(row, part), zero, sums[0]);
  }
  return xsimd::all((sums[0] + sums[1]) + (sums[2] + sums[3]) == zero);
}

/// Sets x to zero. Doesn't call memset, because a head's rows are short and the calls would take
/// longer.
template <class T>
void clear(const Matrix<T>& x) {
  const Vec<T> zero(T{0});
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; j += lanes<T>)
      store_partial(x.data + i * x.stride + j, std::min(lanes<T>, x.columns - j), zero);
}

/// Prefetches x into the L2 cache; L1 only has room for the current tile. Inlined, because the
/// compiler would remove the call of a function that only prefetches.
template <class T>
[[gnu::always_inline]] inline void prefetch(const Matrix<T>& x) {
  constexpr Index line = 64 / sizeof(T);
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; j += line) __builtin_prefetch(x.data + i * x.stride + j, 0, 2);
}

/// Computes c = factor * w x, or c += factor * w x. Where a weight in w is 0, the elements of x
/// have no effect, even if they are infinite or NaN, because hidden keys must have no effect.
/// `finite` says that all of x is finite.
template <class T>
void weighted_sum(const Matrix<const T>& w, const Matrix<const T>& x, const Matrix<T>& c, T factor,
                  bool accumulate, bool finite) {
  if (finite) return gemm<T>(w, x, c, factor, accumulate);
  if (!accumulate) clear(c);
  for (Index i = 0; i < c.rows; ++i) {
    T* row = c.data + i * c.stride;
    for (Index j = 0; j < x.rows; ++j) {
      const T weight =
          factor * (w.transposed ? w.data[j * w.stride + i] : w.data[i * w.stride + j]);
      if (weight == 0) continue;
      for (Index l = 0; l < c.columns; ++l) row[l] = fma(weight, x.data[j * x.stride + l], row[l]);
    }
  }
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
