#pragma once
#include "../../tensor.hpp"

#include <string>

namespace tapehead {

/// A matrix inside a buffer: element (i, j) is data[i * stride + j], or data[j * stride + i] if
/// `transposed`. `rows` and `columns` count after transposing.
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
/// Return a view of the rows (or the columns) `first` to `end` - 1 of m.
template <class T>
Matrix<T> rows_of(const Matrix<T>& m, Index first, Index end) {
  return {m.data + first * (m.transposed ? 1 : m.stride), end - first, m.columns, m.stride,
          m.transposed};
}
template <class T>
Matrix<T> columns_of(const Matrix<T>& m, Index first, Index end) {
  return rows_of(m.t(), first, end).t();
}

/// The last step of a matmul: computes c = factor * sums, and adds the old c if `accumulate` is
/// set, or `bias`, (columns), to each row.
template <class T>
struct Epilogue {
  T factor = 1;
  bool accumulate = false;
  const T* bias = nullptr;
};

/// Computes c = a b with an epilogue, on all free threads. The result is bitwise identical for any
/// number of threads. c must not be transposed, and the epilogue must not have both a bias and
/// `accumulate`. The sizes must match; callers check them, and gemm only asserts them.
void gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue = {});
void gemm(const Matrix<const double>& a, const Matrix<const double>& b, const Matrix<double>& c,
          const Epilogue<double>& epilogue = {});
/// Does the same for a transposed b in bf16, which halves the memory traffic of b. The result is
/// bitwise identical to a matmul with b converted to f32.
void gemm(const Matrix<const float>& a, const Matrix<const Bf16>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue = {});

}  // namespace tapehead
