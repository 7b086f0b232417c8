#include "newton_schulz.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/tensor.hpp"
#include "clip.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tapehead {
namespace {

constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
constexpr int steps = 5;

template <class T>
Matrix<T> scratch(Tensor& memory, Index rows, Index columns) {
  memory = Tensor::empty({rows, columns}, dtype_of<T>());
  return matrix(memory.mutable_data<T>(), rows, columns);
}

/// to = factor x y, which is symmetric: its columns are computed from the diagonal down, a quarter
/// of them at a time, as long as they fill some registers.
template <class T>
void multiply_symmetric(Matrix<const T> x, Matrix<const T> y, Matrix<T> to, T factor = 1) {
  const Index n = to.rows, width = std::max<Index>(32, (n + 3) / 4);
  for (Index j = 0; j < n; j += width) {
    const Index end = std::min(j + width, n);
    gemm(rows_of(x, j, n), columns_of(y, j, end), columns_of(rows_of(to, j, n), j, end), {factor});
  }
  kernels<T>().mirror(to);
}

/// p = a I + b g + c g^2, of a symmetric g.
template <class T>
void polynomial(Matrix<const T> g, Matrix<T> p) {
  const Index n = g.rows;
  multiply_symmetric<T>(g, g, p, static_cast<T>(c));
  kernels<T>().mix(p.data, n * n, b, g.data, 1);
  for (Index i = 0; i < n; ++i) p.data[i * n + i] += static_cast<T>(a);
}

/// g = x x^T, or x^T x where that is smaller.
template <class T>
void gram(Matrix<const T> x, Matrix<T> g) {
  if (x.rows > x.columns) x = x.t();
  multiply_symmetric<T>(x, x.t(), g);
}

/// y = p x, or x p where x^T x is the smaller one.
template <class T>
void advance(Matrix<const T> p, Matrix<const T> x, Matrix<T> y) {
  x.rows > x.columns ? gemm(x, p, y) : gemm(p, x, y);
}

/// The steps as they are written in the header.
template <class T>
void iterate(Matrix<T> x) {
  const Index n = std::min(x.rows, x.columns);
  Tensor memory[3];
  const Matrix<T> g = scratch<T>(memory[0], n, n), p = scratch<T>(memory[1], n, n);
  Matrix<T> from = x, to = scratch<T>(memory[2], x.rows, x.columns);
  for (int step = 0; step < steps; ++step) {
    gram<T>(from, g);
    polynomial<T>(g, p);
    advance<T>(p, from, to);
    std::swap(from, to);
  }
  if (from.data != x.data) std::copy_n(from.data, x.rows * x.columns, x.data);
}

/// The same, faster for a long x: only g goes through the steps, each of which makes it p g p, and
/// x is multiplied once, by the product of all p. They and g are small, symmetric and commute.
template <class T>
void iterate_gram(Matrix<T> x) {
  const Index n = std::min(x.rows, x.columns);
  Tensor memory[5];
  const Matrix<T> g = scratch<T>(memory[0], n, n), p = scratch<T>(memory[1], n, n);
  Matrix<T> product = scratch<T>(memory[2], n, n), next = scratch<T>(memory[3], n, n);
  gram<T>(x, g);
  polynomial<T>(g, product);
  std::copy_n(product.data, n * n, p.data);
  for (int step = 1; step < steps; ++step) {
    multiply_symmetric<T>(g, p, next);
    multiply_symmetric<T>(next, p, g);
    polynomial<T>(g, p);
    multiply_symmetric<T>(product, p, next);
    std::swap(product, next);
  }
  const Matrix<T> y = scratch<T>(memory[4], x.rows, x.columns);
  advance<T>(product, x, y);
  std::copy_n(y.data, x.rows * x.columns, x.data);
}

template <class T>
void orthogonalise_any(Matrix<T> x) {
  assert(!x.transposed && x.stride == x.columns);
  const Index size = x.rows * x.columns, n = std::min(x.rows, x.columns);
  const double norm = vector_norm(x.data, size);
  if (norm == 0) return;
  // Divided in f64: the inverse of a small norm may overflow.
  std::transform(x.data, x.data + size, x.data,
                 [=](T v) { return static_cast<T>(static_cast<double>(v) / norm); });
  // A step takes three small symmetric products instead of a long and a symmetric long one.
  3 * size > 4 * (n * n) ? iterate_gram(x) : iterate(x);
}

}  // namespace

void orthogonalise(Matrix<float> x) { orthogonalise_any(x); }
void orthogonalise(Matrix<double> x) { orthogonalise_any(x); }

}  // namespace tapehead
