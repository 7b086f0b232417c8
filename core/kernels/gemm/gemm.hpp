#pragma once
#include "../../tensor.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// A matrix inside a buffer: element (i, j) is data[i * stride + j], or data[j * stride + i] if
/// `transposed`. `rows` and `columns` are those after transposing.
template <class T>
struct Matrix {
  T* data;
  Index rows, columns;
  Index stride;
  bool transposed = false;

  Matrix<T> t() const { return {data, columns, rows, stride, !transposed}; }
  operator Matrix<const T>() const { return {data, rows, columns, stride, transposed}; }
};
template <class T>
Matrix<T> matrix(T* data, Index rows, Index columns) {
  return {data, rows, columns, columns};
}
/// Rows `first` to end - 1 of m, or columns, as a view.
template <class T>
Matrix<T> rows_of(const Matrix<T>& m, Index first, Index end) {
  return {m.data + first * (m.transposed ? 1 : m.stride), end - first, m.columns, m.stride,
          m.transposed};
}
template <class T>
Matrix<T> columns_of(const Matrix<T>& m, Index first, Index end) {
  return rows_of(m.t(), first, end).t();
}

/// c = factor * a b; with `accumulate`, c += factor * a b; with a bias, (columns), c = factor * a b
/// + bias in each row. All matrices are multiplied here. Each piece of a product is computed by one
/// thread; a large product outside of shards is split into pieces that depend on its sizes alone,
/// so that equal inputs give equal bits. c must not be transposed, a bias and `accumulate` exclude
/// each other, and the inner and outer sizes must match (checked by the ops; asserted here).
void gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          float factor = 1, bool accumulate = false, const float* bias = nullptr,
          Precision precision = Precision::f32);
void gemm(const Matrix<const double>& a, const Matrix<const double>& b, const Matrix<double>& c,
          double factor = 1, bool accumulate = false, const double* bias = nullptr,
          Precision precision = Precision::f32);

/// What multiplies matrices from now on, on all threads. By default each product is computed by
/// whatever is fastest for it, our own kernels or a library. Alternatively one library computes
/// them all: oneDNN, for f32, or xtensor-blas, which calls the linked BLAS, for f32 and f64. Each
/// rounds sums differently. Products rounded to bf16 always use our own kernels.
/// The environment variable TAPEHEAD_GEMM, `fastest`, `onednn` or `blas`, sets the initial choice;
/// the first product throws ValueError for any other word, or for a library that this build doesn't
/// have.
enum class GemmBackend { fastest, onednn, blas };
/// Throws ValueError if this build doesn't have the backend.
void set_gemm_backend(GemmBackend backend);
/// The backends that this build has.
std::vector<GemmBackend> gemm_backends();
/// What multiplies now, for reports: the library and the kernel that it chose.
std::string gemm_backend();

}  // namespace tapehead
