// Sums, maxima and softmax of rows.
#include "../runtime/memory.hpp"
#include "../runtime/parallel.hpp"
#include "../tensor.hpp"
#include "functions/numbers.hpp"
#include "softmax.hpp"
#include "table.hpp"

#include <numeric>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

/// Sums the first `width` columns of n rows, where `stride` is the distance between rows in
/// elements. Splits many rows into halves, so that rounding errors grow with log n, as in sum_row.
/// `scratch` holds the sum of the second half; it has a row for each level of halving.
template <class T>
void sum_by_halves(T* y, const T* x, Index n, Index width, Index stride, T* scratch) {
  if (n > pinned::sequential_rows) {
    sum_by_halves(y, x, n / 2, width, stride, scratch);
    sum_by_halves(scratch, x + n / 2 * stride, n - n / 2, width, stride, scratch + stride);
    return add_row(y, width, scratch);
  }
  std::fill_n(y, width, T{0});
  for (; n >= 4; n -= 4, x += 4 * stride)
    add_row(y, width, x, x + stride, x + 2 * stride, x + 3 * stride);
  for (; n > 0; --n, x += stride) add_row(y, width, x);
}

template <class T>
void sum_rows(T* y, const T* x, Index n, Index width) {
  if (width == 1) {
    *y = sum_row(x, n);
    return;
  }
  Index halvings = 0;
  for (Index rows = n; rows > pinned::sequential_rows; rows -= rows / 2) ++halvings;
  Tensor scratch = Tensor::empty({halvings, width}, dtype_of<T>());
  T* const halves = scratch.mutable_data<T>();
  const auto columns = [&](Index first, Index end) {
    sum_by_halves(y + first, x + first, n, end - first, width, halves + first);
  };
  parallel_elements(width, columns, tuning::element_cost * static_cast<double>(n));
}

template <class T>
void max_rows(T* y, const T* x, Index n, Index width) {
  if (width == 1) {
    const auto nan = [](auto v) { return xsimd::select(v == v, decltype(v)(0), v); };
    *y = max_row(x, n) + sum_row(n, nan, x);
    return;
  }
  const auto larger = [](auto a, auto b) { return xsimd::select(a > b || !(a == a), a, b); };
  std::copy_n(x, width, y);
  for (Index i = 1; i < n; ++i) map_row(y, width, larger, y, x + i * width);
}

template <class T>
void keep_rows(const std::uint32_t* bits, Index examples, Index n, double scale, const T* x, T* y) {
  const Vec<T> by(static_cast<T>(scale));
  n /= std::max<Index>(examples, 1);
  const Index words = (n + 31) / 32;
  for (Index row = 0; row < examples; ++row, bits += words, x += n, y += n)
    for (Index i = 0; i < n; i += lanes<T>) {
      const Index part = std::min(lanes<T>, n - i);
      store_partial(y + i, part, keep(bits[i / 32] >> i % 32, by, load_partial(x + i, part)));
    }
}

template <class T>
double sum_of_squares(const T* x, Index n, double scale) {
  constexpr Index count = pinned::norm_lanes;
  double lane[count] = {};
  const auto add = [&](const T* from, Index lanes_left) {
    for (Index i = 0; i < lanes_left; ++i) {
      const double value = scale * static_cast<double>(from[i]);
      lane[i] += value * value;
    }
  };
  Index at = 0;
  for (; at + count <= n; at += count) {
    prefetch_ahead(x + at);
    add(x + at, count);
  }
  add(x + at, n - at);
  return std::accumulate(lane, lane + count, 0.0);
}

/// Calls f(y, x, n) for each row x of n elements. The rows of y are `width` elements apart.
template <class T, class F>
[[gnu::always_inline]] inline void each_row(T* y, const T* x, Index rows, Index n, Index width,
                                            F f) {
  for (Index row = 0; row < rows; ++row) f(y + row * width, x + row * n, n);
}

}  // namespace

template <class T>
void add_rows(Kernels<T>& table) {
  table.keep = keep_rows<T>;
  table.sum_rows = sum_rows<T>;
  table.max_rows = max_rows<T>;
  table.sum_of_squares = sum_of_squares<T>;
  table.softmax = [](T* y, const T* x, Index rows, Index n) {
    each_row(y, x, rows, n, n, softmax_row<T>);
  };
  table.log_softmax = [](T* y, const T* x, Index rows, Index n) {
    each_row(y, x, rows, n, n, log_softmax_row<T>);
  };
  table.logsumexp = [](T* y, const T* x, Index rows, Index n) {
    each_row(y, x, rows, n, 1,
             [](T* to, const T* from, Index size) { *to = logsumexp_of(from, size); });
  };
}
template void add_rows(Kernels<float>&);
template void add_rows(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
