#pragma once
// Sums of exponentials along a row, for softmax and cross-entropy.
#include "functions/logarithms.hpp"

#include <cmath>
#include <limits>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

/// Returns the largest of n elements, or minus infinity if n is 0. Doesn't handle NaN.
template <class T>
T max_row(const T* x, Index n) {
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  Vec<T> tops(lowest);
  Index i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) tops = kernel::max(tops, Vec<T>::load_unaligned(x + i));
  if (i < n) tops = kernel::max(tops, load_partial(x + i, n - i, lowest));
  // In each round, every lane takes the larger of two lanes. After log2(size) rounds, all lanes
  // contain the maximum.
  constexpr std::make_index_sequence<Vec<T>::size> all;
  for (std::size_t round = 1; round < Vec<T>::size; round *= 2)
    tops =
        kernel::max(interleave<0>(tops, tops, all), interleave<Vec<T>::size / 2>(tops, tops, all));
  return tops.get(0);
}

/// The log-sum-exp of a row, as top + log(1 + others). `others` is stored without the 1. If one
/// element dominates, 1 + others would lose the last digits of the loss and its gradient.
template <class T>
struct LogSumExp {
  T top;     ///< the largest element
  T others;  ///< sum of exp(x - top) over all elements except one that equals top

  /// Returns the number to subtract before exp: `top`, or 0 if all elements are minus infinity.
  T shift() const { return top == -std::numeric_limits<T>::infinity() ? T{0} : top; }

  /// Computes log(1 + others) with Kahan's formula, which is accurate although it rounds 1 +
  /// others.
  double above_top() const {
    const double total = 1 + static_cast<double>(others);
    return total == 1 ? others : kernel::log(total) * (others / (total - 1));
  }
};

template <class T>
LogSumExp<T> logsumexp_row(const T* x, Index n) {
  LogSumExp<T> row{max_row(x, n), 0};
  const Vec<T> shift(row.shift()), zero(T{0}), one(T{1});
  const auto below = [=](auto v) {
    const auto d = v - shift;
    return xsimd::select(d == zero, zero, kernel::exp(d));
  };
  const auto at_top = [=](auto v) { return xsimd::select(v == shift, one, zero); };
  row.others = sum_row(n, below, x) + std::max(sum_row(n, at_top, x) - 1, T{0});
  return row;
}

template <class T>
void softmax_row(T* y, const T* x, Index n) {
  const Vec<T> shift(LogSumExp<T>{max_row(x, n), 0}.shift());
  map_row(
      y, n, [=](auto v) { return kernel::exp(v - shift); }, x);
  const T total = sum_row(y, n);
  const Vec<T> factor(total > 0 ? 1 / total : total);  // 0 for a row of minus infinities
  map_row(
      y, n, [=](auto v) { return v * factor; }, static_cast<const T*>(y));
}

template <class T>
void log_softmax_row(T* y, const T* x, Index n) {
  const LogSumExp<T> row = logsumexp_row(x, n);
  const Vec<T> shift(row.shift()), rest(static_cast<T>(row.above_top()));
  map_row(
      y, n, [&](auto v) { return v - shift - rest; }, x);
}

template <class T>
T logsumexp_of(const T* x, Index n) {
  const LogSumExp<T> row = logsumexp_row(x, n);
  if (row.top != std::numeric_limits<T>::infinity())
    return static_cast<T>(row.top + row.above_top());
  return sum_row(
      n, [](auto v) { return kernel::exp(v); }, x);  // infinity, or NaN if the row has one
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
