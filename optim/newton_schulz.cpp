#include <tapehead/core/simd.hpp>
#include <tapehead/core/tensor.hpp>
#include <tapehead/optim/newton_schulz.hpp>

#include <cassert>
#include <cmath>

namespace tapehead {
namespace {

constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
constexpr int steps = 5;

template <class T>
Matrix<T> scratch(Tensor& memory, Index rows, Index columns) {
  memory = Tensor::empty({rows, columns}, dtype_of<T>());
  return matrix(memory.fresh<T>(), rows, columns);
}

/// c = factor x y, which is symmetric: its upper right quarter is copied from the lower left one.
template <class T>
void multiply_symmetric(Matrix<const T> x, Matrix<const T> y, Matrix<T> c, T factor = 1) {
  const Index n = c.rows, half = n / 2;
  gemm(rows_of(x, 0, half), columns_of(y, 0, half), columns_of(rows_of(c, 0, half), 0, half),
       factor);
  gemm(rows_of(x, half, n), y, rows_of(c, half, n), factor);
  for (Index i = 0; i < half; ++i)
    for (Index j = half; j < n; ++j) c.data[i * c.stride + j] = c.data[j * c.stride + i];
}

template <class T>
void iterate(Matrix<T> x) {
  assert(!x.transposed && x.stride == x.columns);
  const Index size = x.rows * x.columns, n = std::min(x.rows, x.columns);
  const auto square = [](auto v) { return v * v; };
  const T norm = std::sqrt(sum_row(size, square, static_cast<const T*>(x.data)));
  if (norm == 0) return;
  const auto divided = [by = Vec<T>(1 / norm)](auto v) { return v * by; };
  map_row(x.data, size, divided, static_cast<const T*>(x.data));

  // Of x x^T and x^T x the smaller one: (x x^T) x = x (x^T x).
  const bool tall = x.rows > x.columns;
  Tensor memory[3];
  const Matrix<T> gram = scratch<T>(memory[0], n, n), factor = scratch<T>(memory[1], n, n);
  Matrix<T> from = x, to = scratch<T>(memory[2], x.rows, x.columns);
  for (int step = 0; step < steps; ++step) {
    multiply_symmetric<T>(tall ? from.t() : from, tall ? from : from.t(), gram);
    multiply_symmetric<T>(gram, gram, factor, static_cast<T>(c));  // to be a I + b gram + c gram^2
    const auto add = [by = Vec<T>(static_cast<T>(b))](auto f, auto g) { return f + by * g; };
    map_row(factor.data, n * n, add, static_cast<const T*>(factor.data),
            static_cast<const T*>(gram.data));
    for (Index i = 0; i < n; ++i) factor.data[i * n + i] += static_cast<T>(a);
    gemm(tall ? from : factor, tall ? factor : from, to);
    std::swap(from, to);
  }
  if (from.data != x.data) std::copy_n(from.data, size, x.data);
}

}  // namespace

void orthogonalise(Matrix<float> x) { iterate(x); }
void orthogonalise(Matrix<double> x) { iterate(x); }

}  // namespace tapehead
