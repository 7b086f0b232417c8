// Matmuls. Their gradients are matmuls of transposed factors; gemm reads a transposed factor
// without copying it.
#include "../kernels/gemm/gemm.hpp"
#include "../ops.hpp"
#include "../trace.hpp"
#include "elementwise.hpp"
#include "families.hpp"

namespace tapehead {
namespace {

/// A factor of a matmul: the matrices (..., rows, columns) of x, or their transposes.
struct Factor {
  Tensor x;
  bool transposed = false;

  Factor t() const { return {x, !transposed}; }
  Index rows() const { return x.dim(transposed ? -1 : -2); }
  Index columns() const { return x.dim(transposed ? -2 : -1); }
  Shape batch() const { return x.shape().slice(0, x.rank() - 2); }
  template <class T>
  Matrix<const T> at(Index i) const {
    const auto m = matrix(x.data<T>() + i * rows() * columns(), x.dim(-2), x.dim(-1));
    return transposed ? m.t() : m;
  }
};

/// Reshapes (..., n) -> (rows, n).
Tensor as_matrix(const Tensor& x) {
  return x.rank() == 2 ? x : reshape(x, Shape{x.shape().slice(0, x.rank() - 1).size(), x.dim(-1)});
}

/// Returns the factor with its elements rounded to bf16, stored as f32.
Factor rounded(const Factor& f) { return {cast(cast(f.x, DType::bf16), DType::f32), f.transposed}; }

/// Returns whether a single matmul computes the whole batch: b must be a single matrix, which
/// multiplies all rows of a.
bool joins_rows(const Factor& a, const Factor& b) { return b.x.rank() == 2 && !a.transposed; }

/// Returns the product of a and b. If `bias`, (columns), isn't null, adds it to each row. Then b
/// must be a single matrix.
Tensor multiply(const char* op, const Factor& a, const Factor& b, const Tensor& bias) {
  const Broadcast batch("matmul: leading axes", a.batch(), b.batch());
  const Index m = a.rows(), k = a.columns(), n = b.columns();
  Shape shape = batch.shape;
  shape.push_back(m);
  shape.push_back(n);
  count_multiply_adds(static_cast<double>(shape.size() * k));
  Tensor y = Tensor::empty(shape, a.x.dtype());
  with_floats(op, y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    if (joins_rows(a, b)) {
      const Index rows = batch.shape.size() * m;
      const auto left = matrix(a.x.data<T>(), rows, k);
      const Epilogue<T> epilogue{/*factor=*/T{1}, /*accumulate=*/false,
                                 bias ? bias.data<T>() : nullptr};
      if constexpr (std::is_same_v<T, float>)
        if (b.x.dtype() == DType::bf16)
          return gemm(left, b.at<Bf16>(0), matrix(out, rows, n), epilogue);
      return gemm(left, b.at<T>(0), matrix(out, rows, n), epilogue);
    }
    batch.rows([&](Index at, Index i, Index j) {  // indices of matrices in y, a and b
      for (Index step = 0; step < batch.sizes[-1]; ++step, i += batch.as[-1], j += batch.bs[-1])
        gemm(a.at<T>(i), b.at<T>(j), matrix(out + (at + step) * m * n, m, n));
    });
  });
  return y;
}

/// Computes and records a matmul in this precision. Its gradients use the same precision.
Tensor product(const char* op, const Factor& a, const Factor& b, Precision precision,
               const Tensor& bias = {}) {
  const bool rounds = precision == Precision::bf16 && a.x.dtype() == DType::f32;
  const Tensor y = rounds ? multiply(op, rounded(a), rounded(b), bias) : multiply(op, a, b, bias);
  const bool biased(bias), joined = joins_rows(a, b);
  const bool to_a = is_tracked(a.x), to_b = is_tracked(b.x);
  // `a = a` makes a non-const copy, which is cleared below.
  const auto backward = [=, a = a](const Tensor& dy) mutable {
    Grads grads(biased ? 3 : 2);
    const auto times = [=](const Factor& p, const Factor& q) {
      return product("matmul", p, q, precision);
    };
    const Factor d{dy};  // da = dy b^T, db = a^T dy; for a transposed factor, the transpose
    if (to_b) {
      const Factor left{joined ? as_matrix(a.x) : a.x, a.transposed};
      const Factor right{joined ? as_matrix(dy) : dy};
      grads[1] = b.transposed ? times(right.t(), left) : times(left.t(), right);
    }
    a.x = {};  // frees the memory of a, which da may reuse
    if (to_a) grads[0] = a.transposed ? times(b, d.t()) : times(d, b.t());
    if (biased) grads[2] = dy;  // the tape sums dy over all rows
    return grads;
  };
  return biased ? record(op, y, {a.x, b.x, bias}, backward) : record(op, y, {a.x, b.x}, backward);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, Precision precision) {
  check_same_type("matmul", a, b);
  if (a.rank() < 2 || b.rank() < 2)
    throw ShapeError("matmul: {} x {}: expected matrices; reshape a vector to (1, n) or (n, 1)",
                     a.shape(), b.shape());
  if (a.dim(-1) != b.dim(-2))
    throw ShapeError("matmul: {} x {}: inner sizes differ, {} and {}", a.shape(), b.shape(),
                     a.dim(-1), b.dim(-2));
  return product("matmul", {a}, {b}, precision);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Precision precision) {
  check_present("linear", x, weight);
  if (weight.dtype() != DType::bf16 || x.dtype() != DType::f32)
    check_same_type("linear", x, weight);
  else if (is_tracked(x) || (bias && is_tracked(bias)))
    throw TypeError(
        "linear: with a bf16 weight there are no gradients; convert it with cast(weight, "
        "DType::f32)");
  if (bias) check_same_type("linear", x, bias);
  if (weight.rank() != 2) throw ShapeError("linear: weight {} must be (out, in)", weight.shape());
  const Index out = weight.dim(0), in = weight.dim(1);
  if (x.rank() == 0)
    throw ShapeError("linear: x () and weight {}: x needs a last axis of size {}", weight.shape(),
                     in);
  if (x.dim(-1) != in)
    throw ShapeError("linear: x {} and weight {}: the last size of x, {}, must be {}", x.shape(),
                     weight.shape(), x.dim(-1), in);
  if (bias && bias.shape() != Shape{out})
    throw ShapeError("linear: bias {} and weight {}: bias must be ({})", bias.shape(),
                     weight.shape(), out);
  if (x.rank() == 1) return reshape(linear(as_matrix(x), weight, bias, precision), Shape{out});
  return product("linear", {x}, {weight, true}, precision, bias);
}

std::vector<Op> product_ops() {
  return {{"matmul",
           "y = a b for each pair of matrices",
           {"da = dy b^T", "db = a^T dy"},
           [](const Tensor& a, const Tensor& b) { return matmul(a, b); },
           {"a", "b"}},
          {"linear",
           "y = x W^T + b",
           {"dx = dy W", "dW = dy^T x", "db = sum of dy over all rows"},
           [](const Tensor& x, const Tensor& weight, const Tensor& bias) {
             return linear(x, weight, bias);
           },
           {"x", "weight", optional("bias")}}};
}

}  // namespace tapehead
