#pragma once
#include "../../tensor.hpp"

#include <string>

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

/// How the sums of a product are stored: c = factor * sums, plus the old c with `accumulate`, or
/// plus a bias, (columns), in each row.
template <class T>
struct Epilogue {
  T factor = 1;
  bool accumulate = false;
  const T* bias = nullptr;
};

/// c = factor * a b, and what the epilogue says. All matrices are multiplied here, by all threads
/// that are free. The bits don't depend on their number. c must not be transposed, a bias and
/// `accumulate` exclude each other, and the inner and outer sizes must match (checked by the ops;
/// asserted here).
void gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue = {});
void gemm(const Matrix<const double>& a, const Matrix<const double>& b, const Matrix<double>& c,
          const Epilogue<double>& epilogue = {});
/// The same for a transposed b that is kept in bf16: the bits of a b with the same numbers in f32,
/// of which half as much is read from memory.
void gemm(const Matrix<const float>& a, const Matrix<const Bf16>& b, const Matrix<float>& c,
          const Epilogue<float>& epilogue = {});

}  // namespace tapehead
