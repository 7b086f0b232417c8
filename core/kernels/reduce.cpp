#include "reduce.hpp"
#include "../runtime/memory.hpp"
#include "../runtime/parallel.hpp"
#include "../tensor.hpp"
#include "simd.hpp"

namespace tapehead {
namespace {

/// Sums the first `width` columns of n rows, `stride` apart. Many rows are halved, so that rounding
/// errors grow with the logarithm of n, as in sum_row. The second half is summed in `scratch`,
/// which has a row for each halving.
template <class T>
void sum_by_halves(T* y, const T* x, Index n, Index width, Index stride, T* scratch) {
  if (n > tuning::rows_in_turn) {
    sum_by_halves(y, x, n / 2, width, stride, scratch);
    sum_by_halves(scratch, x + n / 2 * stride, n - n / 2, width, stride, scratch + stride);
    return add_row(y, width, scratch);
  }
  std::fill_n(y, width, T{0});
  for (; n >= 4; n -= 4, x += 4 * stride)
    add_row(y, width, x, x + stride, x + 2 * stride, x + 3 * stride);
  for (; n > 0; --n, x += stride) add_row(y, width, x);
}

}  // namespace

template <class T>
void sum_rows(T* y, const T* x, Index n, Index width) {
  if (width == 1) {
    *y = sum_row(x, n);
    return;
  }
  Index halvings = 0;
  for (Index rows = n; rows > tuning::rows_in_turn; rows -= rows / 2) ++halvings;
  Tensor scratch = Tensor::empty({halvings, width}, dtype_of<T>());
  T* const halves = scratch.mutable_data<T>();
  const auto columns = [&](Index first, Index end) {
    sum_by_halves(y + first, x + first, n, end - first, width, halves + first);
  };
  in_pieces(width, columns, tuning::element_cost * static_cast<double>(n));
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

template void sum_rows(float*, const float*, Index, Index);
template void sum_rows(double*, const double*, Index, Index);
template void max_rows(float*, const float*, Index, Index);
template void max_rows(double*, const double*, Index, Index);

}  // namespace tapehead
