#include "../../runtime/parallel.hpp"
#include "../simd.hpp"
#include "bf16.hpp"
#include "libraries.hpp"
#include "packed.hpp"

#include <algorithm>
#include <cassert>

namespace tapehead {
namespace {

/// As gemm, where a is one row, x, and m is the transpose of b. Generating token by token
/// multiplies one row at a time; the libraries would first rearrange the whole matrix for it.
template <class T>
void multiply_row(const T* x, const Matrix<const T>& m, T* y, T factor, bool accumulate,
                  const T* bias) {
  const T* const start = accumulate ? y : bias;
  constexpr Index together = 4;
  const auto product = [](auto a, auto b) { return a * b; };
  Index i = 0;
  for (; i + together <= m.rows; i += together) {
    Vec<T> sums[together];
    unrolled<together>([&](auto r) { sums[r] = Vec<T>(T{0}); });
    for (Index k = 0; k < m.columns; k += lanes<T>) {
      const Index part = std::min(lanes<T>, m.columns - k);
      const Vec<T> v = load_part(x + k, part);
      unrolled<together>([&](auto r) {
        sums[r] = xsimd::fma(v, load_part(m.data + (i + r) * m.stride + k, part), sums[r]);
      });
    }
    unrolled<together>(
        [&](auto r) { y[i + r] = factor * xsimd::hadd(sums[r]) + (start ? start[i + r] : T{0}); });
  }
  for (; i < m.rows; ++i)
    y[i] =
        factor * sum_row(m.columns, product, x, m.data + i * m.stride) + (start ? start[i] : T{0});
}

/// The same, where m is b: adds up the rows of b, weighted by x.
template <class T>
void multiply_row_across(const T* x, const Matrix<const T>& m, T* y, T factor, bool accumulate,
                         const T* bias) {
  const T* const start = accumulate ? y : bias;
  for (Index j = 0; j < m.columns; j += lanes<T>) {
    const Index part = std::min(lanes<T>, m.columns - j);
    Vec<T> sum(T{0});
    for (Index k = 0; k < m.rows; ++k)
      sum = xsimd::fma(Vec<T>(x[k]), load_part(m.data + k * m.stride + j, part), sum);
    sum = sum * Vec<T>(factor);
    store_part(y + j, part, start ? sum + load_part(start + j, part) : sum);
  }
}

/// Whether a product is to be added to c. First sets the rows of c to the bias, if there is one.
template <class T>
bool begin(const Matrix<T>& c, bool accumulate, const T* bias) {
  for (Index i = 0; bias && i < c.rows; ++i) std::copy_n(bias, c.columns, c.data + i * c.stride);
  return accumulate || bias;
}

/// The cost of a product: 2 * rows * inner * columns.
template <class T>
double operations(const Matrix<const T>& a, const Matrix<T>& c) {
  return 2.0 * static_cast<double>(c.rows * c.columns) * static_cast<double>(a.columns);
}

/// One piece of a product. Our own kernels sum each element in an order that doesn't depend on the
/// piece's rows and columns, so that idle threads may take parts of it.
void multiply_piece(const Matrix<const float>& a, const Matrix<const float>& b,
                    const Matrix<float>& c, float factor, bool accumulate, const float* bias,
                    Precision precision) {
  const double cost = operations(a, c);
  const bool rounded = precision == Precision::bf16 && cost >= tuning::worth_rounding;
  const bool own = backend_now() == GemmBackend::fastest && prefers_packed(a, b, c);
  if (!rounded && !own) return library_gemm(a, b, c, factor, begin(c, accumulate, bias));
  const auto multiply = [&](const Matrix<const float>& some, const Matrix<float>& product) {
    if (rounded)
      gemm_bf16(some, b, product, factor, accumulate, bias);
    else
      packed_gemm(some, b, product, factor, accumulate, bias);
  };
  const Index count = std::min(idle_split(cost), c.rows);
  if (count == 1) return multiply(a, c);
  parallel_pieces(c.rows, count, [&](Index first, Index end) {
    multiply(rows_of(a, first, end), rows_of(c, first, end));
  });
}
void multiply_piece(const Matrix<const double>& a, const Matrix<const double>& b,
                    const Matrix<double>& c, double factor, bool accumulate, const double* bias,
                    Precision) {
  library_gemm(a, b, c, factor, begin(c, accumulate, bias));
}

template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, T factor,
              bool accumulate, const T* bias, Precision precision) {
  assert(!(accumulate && bias));
  assert(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns && !c.transposed);
  if (c.rows == 0 || c.columns == 0) return;
  if (a.columns == 0) {  // an empty sum; BLAS requires leading dimensions of at least 1
    if (begin(c, accumulate, bias)) return;
    for (Index i = 0; i < c.rows; ++i) std::fill_n(c.data + i * c.stride, c.columns, T{0});
    return;
  }
  if (c.rows == 1 && !a.transposed && backend_now() == GemmBackend::fastest) {
    if (b.transposed) return multiply_row(a.data, b.t(), c.data, factor, accumulate, bias);
    if (b.rows * b.columns <= tuning::few_elements)
      return multiply_row_across(a.data, b, c.data, factor, accumulate, bias);
  }
  // One long sequence can't be split into shards; its products can, along the longer side of c.
  const Index count = fixed_split(operations(a, c));
  // A single piece needs no copies of the matrices' descriptors, which take as long as the
  // smallest products.
  if (count == 1) return multiply_piece(a, b, c, factor, accumulate, bias, precision);
  const bool tall = c.rows >= c.columns;
  parallel_pieces(tall ? c.rows : c.columns, count, [&](Index first, Index end) {
    if (tall)
      multiply_piece(rows_of(a, first, end), b, rows_of(c, first, end), factor, accumulate, bias,
                     precision);
    else
      multiply_piece(a, columns_of(b, first, end), columns_of(c, first, end), factor, accumulate,
                     bias ? bias + first : nullptr, precision);
  });
}

}  // namespace

void gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          float factor, bool accumulate, const float* bias, Precision precision) {
  multiply(a, b, c, factor, accumulate, bias, precision);
}
void gemm(const Matrix<const double>& a, const Matrix<const double>& b, const Matrix<double>& c,
          double factor, bool accumulate, const double* bias, Precision precision) {
  multiply(a, b, c, factor, accumulate, bias, precision);
}

}  // namespace tapehead
