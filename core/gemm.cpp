#include <tapehead/core/bf16.hpp>
#include <tapehead/core/gemm_backend.hpp>
#include <tapehead/core/parallel.hpp>
#include <tapehead/core/simd.hpp>
#include <tapehead/core/small_gemm.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>

namespace tapehead {
namespace {

/// Rows `first` to end - 1.
template <class T>
Matrix<T> rows_of(const Matrix<T>& m, Index first, Index end) {
  return {m.data + first * (m.transposed ? 1 : m.stride), end - first, m.columns, m.stride,
          m.transposed};
}

/// y = factor * (x . each row of m), or +=. To generate symbol by symbol is to multiply one row at
/// a time; the libraries would rearrange the whole matrix for it first.
template <class T>
void multiply_row(const T* x, const Matrix<const T>& m, T* y, T factor, bool accumulate) {
  constexpr Index together = 4;
  const auto product = [](auto a, auto b) { return a * b; };
  Index i = 0;
  for (; i + together <= m.rows; i += together) {
    Vec<T> sums[together];
    std::fill_n(sums, together, Vec<T>(T{0}));
    for (Index k = 0; k < m.columns; k += lanes<T>) {
      const Index part = std::min(lanes<T>, m.columns - k);
      const Vec<T> v = load_part(x + k, part);
      for (Index r = 0; r < together; ++r)
        sums[r] = xsimd::fma(v, load_part(m.data + (i + r) * m.stride + k, part), sums[r]);
    }
    for (Index r = 0; r < together; ++r)
      y[i + r] = factor * xsimd::hadd(sums[r]) + (accumulate ? y[i + r] : T{0});
  }
  for (; i < m.rows; ++i)
    y[i] =
        factor * sum_row(m.columns, product, x, m.data + i * m.stride) + (accumulate ? y[i] : T{0});
}

std::atomic<Products> products_now{Products::f32};

/// One piece of a product.
void multiply_piece(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                    bool accumulate) {
  if (is_small(c, a.columns)) return gemm_small(a, b, c, factor, accumulate);
  constexpr double worth_rounding = 1 << 21;
  const double operations =
      2.0 * static_cast<double>(c.rows * c.columns) * static_cast<double>(a.columns);
  if (operations >= worth_rounding &&
      products_now.load(std::memory_order_relaxed) == Products::bf16)
    return gemm_bf16(a, b, c, factor, accumulate);
  multiply_on_this_thread(a, b, c, factor, accumulate);
}
void multiply_piece(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, double factor,
                    bool accumulate) {
  multiply_on_this_thread(a, b, c, factor, accumulate);
}

template <class T>
void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> c, T factor, bool accumulate) {
  assert(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns && !c.transposed);
  if (c.rows == 0 || c.columns == 0) return;
  if (a.columns == 0) {  // an empty sum; BLAS wants leading dimensions of at least 1
    if (!accumulate)
      for (Index i = 0; i < c.rows; ++i) std::fill_n(c.data + i * c.stride, c.columns, T{0});
    return;
  }
  if (c.rows == 1 && !a.transposed && b.transposed)
    return multiply_row(a.data, b.t(), c.data, factor, accumulate);
  // One long sequence can't be cut into shards; its products can, along their longer side.
  const Index count =
      pieces(2.0 * static_cast<double>(c.rows * c.columns) * static_cast<double>(a.columns));
  const bool tall = c.rows >= c.columns;
  parallel_pieces(tall ? c.rows : c.columns, count, [&](Index first, Index end) {
    if (tall)
      multiply_piece(rows_of(a, first, end), b, rows_of(c, first, end), factor, accumulate);
    else
      multiply_piece(a, rows_of(b.t(), first, end).t(), rows_of(c.t(), first, end).t(), factor,
                     accumulate);
  });
}

}  // namespace

void gemm(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
          bool accumulate) {
  multiply(a, b, c, factor, accumulate);
}
void gemm(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, double factor,
          bool accumulate) {
  multiply(a, b, c, factor, accumulate);
}

void set_products(Products products) {
  if (products == Products::bf16 && bf16_unit() == Bf16Unit::none)
    throw ValueError("bf16: this processor has no instructions for it; f32 works everywhere");
  products_now = products;
}

}  // namespace tapehead
