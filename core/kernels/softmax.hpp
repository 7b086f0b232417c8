#pragma once
// Sums of exponentials along a row: what softmax and cross-entropy share.
#include "exp.hpp"

#include <cmath>
#include <limits>

namespace tapehead {

/// log(sum(exp(x))) of a row, kept as top + log(1 + others): where one element dominates, adding
/// the others to its 1 would lose them, and with them the last digits of a loss and its gradient.
template <class T>
struct LogSumExp {
  T top;     ///< the largest element
  T others;  ///< the sum of exp(x - top) over all elements but one of the largest

  /// What to subtract before exp: the top, or 0 in a row of minus infinities, where every exp is 0.
  T shift() const { return top == -std::numeric_limits<T>::infinity() ? T{0} : top; }

  /// log(1 + others) by Kahan's formula: accurate although 1 + others is rounded, and many times as
  /// fast as std::log1p.
  double above_top() const {
    const double total = 1 + static_cast<double>(others);
    return total == 1 ? others : std::log(total) * (others / (total - 1));
  }
};

template <class T>
LogSumExp<T> logsumexp_row(const T* x, Index n) {
  LogSumExp<T> row{max_row(x, n), 0};
  const Vec<T> shift(row.shift()), zero(T{0}), one(T{1});
  const auto below = [=](auto v) {
    const auto d = v - shift;
    return xsimd::select(d == zero, zero, exp_of(d));
  };
  const auto at_top = [=](auto v) { return xsimd::select(v == shift, one, zero); };
  row.others = sum_row(n, below, x) + std::max(sum_row(n, at_top, x) - 1, T{0});
  return row;
}

template <class T>
void softmax_row(T* y, const T* x, Index n) {
  const Vec<T> shift(LogSumExp<T>{max_row(x, n), 0}.shift());
  map_row(
      y, n, [=](auto v) { return exp_of(v - shift); }, x);
  const T total = sum_row(y, n);
  const Vec<T> factor(total > 0 ? 1 / total : total);  // 0 in a row of minus infinities
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
      n, [](auto v) { return xsimd::exp(v); }, x);  // infinity, or NaN if the row has one
}

}  // namespace tapehead
