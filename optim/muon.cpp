#include "muon.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/numerics.hpp"
#include "../core/plural.hpp"
#include "clip.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

// ---- Newton-Schulz iteration

constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
constexpr int steps = 5;

template <class T>
Matrix<T> scratch(Tensor& memory, Index rows, Index columns) {
  memory = Tensor::empty({rows, columns}, dtype_of<T>());
  return matrix(memory.mutable_data<T>(), rows, columns);
}

/// Computes to = factor x y. The result must be symmetric, so computes only blocks on and below the
/// diagonal, in about four groups of at least 32 columns, and mirrors them.
template <class T>
void multiply_symmetric(Matrix<const T> x, Matrix<const T> y, Matrix<T> to, T factor = 1) {
  const Index n = to.rows, width = std::max(pinned::symmetric_columns, (n + 3) / 4);
  for (Index j = 0; j < n; j += width) {
    const Index end = std::min(j + width, n);
    gemm(rows_of(x, j, n), columns_of(y, j, end), columns_of(rows_of(to, j, n), j, end), {factor});
  }
  kernels<T>().mirror(to);
}

/// Computes p = a I + b g + c g^2 for a symmetric g.
template <class T>
void polynomial(Matrix<const T> g, Matrix<T> p) {
  const Index n = g.rows;
  multiply_symmetric<T>(g, g, p, static_cast<T>(c));
  kernels<T>().mix(p.data, n * n, b, g.data, 1);
  for (Index i = 0; i < n; ++i) p.data[i * n + i] += static_cast<T>(a);
}

/// Computes g = x x^T, or x^T x if that matrix is smaller.
template <class T>
void gram(Matrix<const T> x, Matrix<T> g) {
  if (x.rows > x.columns) x = x.t();
  multiply_symmetric<T>(x, x.t(), g);
}

/// Computes y = p x, or y = x p if `gram` computes x^T x.
template <class T>
void advance(Matrix<const T> p, Matrix<const T> x, Matrix<T> y) {
  x.rows > x.columns ? gemm(x, p, y) : gemm(p, x, y);
}

/// Runs the five steps of orthogonalise on x.
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

/// Does the same as `iterate`, but faster if x is much longer in one direction. Each step updates
/// only g, to p g p. At the end, x is multiplied once by the product of all p. All p and g are
/// small and symmetric, and they commute.
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
  // Divides in f64, because the inverse of a small norm may overflow in f32.
  std::transform(x.data, x.data + size, x.data,
                 [=](T v) { return static_cast<T>(static_cast<double>(v) / norm); });
  // Chooses the faster function. Apart from the polynomial, a step of iterate_gram takes three
  // small symmetric matmuls. A step of `iterate` takes two matmuls with the long x, one of which
  // has a symmetric result.
  3 * size > 4 * (n * n) ? iterate_gram(x) : iterate(x);
}

}  // namespace

void orthogonalise(Matrix<float> x) { orthogonalise_any(x); }
void orthogonalise(Matrix<double> x) { orthogonalise_any(x); }

namespace {

void check_matrices(const Parameter& parameter) {
  const auto& rows = parameter.matrices;
  if (parameter.shape.rank() != 2 ||
      std::accumulate(rows.begin(), rows.end(), Index{0}) != parameter.shape[0])
    throw ValueError("Muon: parameter '{}' is {}, which doesn't match matrices of {} rows",
                     parameter.path, parameter.shape, fmt::join(rows, " + "));
}

}  // namespace

Muon::Muon(ParameterList all, const MuonOptions& options)
    : Optimizer(std::move(all)), options_(options) {
  lr = options.lr;
  if (!(options.lr > 0 && std::isfinite(options.lr)))
    throw ValueError("Muon: lr is {}, expected a finite number above 0", options.lr);
  check_option("Muon", "momentum", options.momentum, 0, 1);
  check_option("Muon", "weight_decay", options.weight_decay, 0, HUGE_VAL);
  check_adamw("Muon: AdamW", options.adam);
  const auto is_matrix = [](const Parameter* p) { return !p->matrices.empty(); };
  if (options.needs_matrices && !trained().empty() &&
      std::none_of(trained().begin(), trained().end(), is_matrix))
    throw ValueError(
        "Muon: lr applies only to matrices, but none of {} is a matrix; set "
        "Parameter::matrices to {{rows}}, or use AdamW",
        plural(trained().size(), "parameter"));
  for (const Parameter* p : trained()) {
    const bool whole = !p->matrices.empty();
    if (whole) check_matrices(*p);
    const auto kept = [&](bool wanted) {
      return wanted ? zeros(p->shape, p->value().dtype()) : Tensor();
    };
    momentum_.push_back(kept(whole));
    first_.push_back(kept(!whole));
    second_.push_back(kept(!whole));
  }
}

const char* Muon::exempt(const std::string& option, const Parameter& p) {
  if (option == "weight-decay") return decay_exemption(option, p);
  const bool of_matrices = option == "lr" || option == "momentum";
  if (of_matrices == !p.matrices.empty()) return nullptr;
  return of_matrices ? "none is a matrix" : "all are matrices";
}

std::vector<Optimizer::State> Muon::state() {
  std::vector<State> states = named_states("momentum", trained(), momentum_);
  for (State& state : named_states("first", trained(), first_)) states.push_back(std::move(state));
  for (State& state : named_states("second", trained(), second_))
    states.push_back(std::move(state));
  return states;
}

void Muon::update(std::size_t i, const Tensor& gradient, double factor) {
  if (momentum_[i])
    return with_floats("Muon", gradient.dtype(),
                       [&](auto zero) { update_matrices<decltype(zero)>(i, gradient, factor); });
  AdamWOptions now = options_.adam;
  now.lr *= lr / options_.lr;
  adamw_step(*trained()[i], first_[i], second_[i], gradient, factor, steps, now);
}

template <class T>
void Muon::update_matrices(std::size_t i, const Tensor& gradient, double factor) {
  Parameter& parameter = *trained()[i];
  const double momentum = options_.momentum;
  const double keep = 1 - lr * (parameter.decay ? options_.weight_decay : 0);
  Tensor move = Tensor::empty(parameter.shape, gradient.dtype());
  T *p = parameter.change<T>(), *m = momentum_[i].mutable_data<T>(), *u = move.mutable_data<T>();
  const T* g = gradient.data<T>();
  const Kernels<T>& k = kernels<T>();
  k.mix(m, gradient.size(), factor, g, momentum);
  std::copy_n(m, gradient.size(), u);
  k.mix(u, gradient.size(), factor, g, momentum);  // Nesterov momentum

  const Index columns = parameter.shape[1];
  for (const Index rows : parameter.matrices) {
    const Index size = rows * columns;
    orthogonalise(matrix(u, rows, columns));
    const double tall = std::max(1.0, static_cast<double>(rows) / static_cast<double>(columns));
    k.mix(p, size, -lr * std::sqrt(tall), u, keep);
    p += size;
    u += size;
  }
}

}  // namespace tapehead
