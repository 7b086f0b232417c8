#include "../../runtime/parallel.hpp"
#include "../kernels.hpp"
#include "bf16.hpp"
#include "blas.hpp"

#include <algorithm>
#include <cassert>

namespace tapehead {
namespace {

/// The cost of a product: 2 * rows * inner * columns.
template <class T>
double operations(const Matrix<const T>& a, const Matrix<T>& c) {
  return 2.0 * static_cast<double>(c.rows * c.columns) * static_cast<double>(a.columns);
}

template <class T>
void multiply_rows(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                   const Epilogue<T>& epilogue, bool rounded) {
  if constexpr (std::is_same_v<T, float>)
    if (rounded) return gemm_bf16(a, b, c, epilogue);
  kernels<T>().multiply_tiles(a, b, c, epilogue);
}

/// One piece of a product. Each element is summed in an order that doesn't depend on the piece's
/// rows and columns, so that idle threads may take parts of it.
template <class T>
void multiply_piece(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                    const Epilogue<T>& epilogue, Precision precision) {
  const double cost = operations(a, c);
  const bool rounded = precision == Precision::bf16 && cost >= tuning::worth_rounding;
  if (gemm_backend_now() == GemmBackend::blas && !rounded && a.columns > 0)
    return blas_gemm(a, b, c, epilogue);
  const Index count = std::min(idle_split(cost), c.rows);
  // A single piece needs no copies of the matrices' descriptors, which take as long as the
  // smallest products.
  if (count == 1) return multiply_rows(a, b, c, epilogue, rounded);
  parallel_pieces(c.rows, count, [&](Index first, Index end) {
    multiply_rows(rows_of(a, first, end), b, rows_of(c, first, end), epilogue, rounded);
  });
}

template <class T>
void multiply(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
              const Epilogue<T>& epilogue, Precision precision) {
  assert(!(epilogue.accumulate && epilogue.bias));
  assert(a.columns == b.rows && c.rows == a.rows && c.columns == b.columns && !c.transposed);
  if (c.rows == 0 || c.columns == 0) return;
  if (gemm_backend_now() == GemmBackend::own && kernels<T>().multiply_row(a, b, c, epilogue))
    return;
  // One long sequence can't be split into shards; its products can, along the longer side of c.
  const Index count = fixed_split(operations(a, c));
  if (count == 1) return multiply_piece(a, b, c, epilogue, precision);
  const bool tall = c.rows >= c.columns;
  parallel_pieces(tall ? c.rows : c.columns, count, [&](Index first, Index end) {
    if (tall)
      return multiply_piece(rows_of(a, first, end), b, rows_of(c, first, end), epilogue, precision);
    Epilogue<T> part = epilogue;
    if (part.bias) part.bias += first;
    multiply_piece(a, columns_of(b, first, end), columns_of(c, first, end), part, precision);
  });
}

}  // namespace

void gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue, Precision precision) {
  multiply(a, b, c, epilogue, precision);
}
void gemm(const Matrix<const double>& a, const Matrix<const double>& b, const Matrix<double>& c,
          const Epilogue<double>& epilogue, Precision precision) {
  multiply(a, b, c, epilogue, precision);
}

}  // namespace tapehead
