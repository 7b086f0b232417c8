#include "lanczos.hpp"
#include "../../core/ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapehead {
namespace {

/// An eigenvalue of a tridiagonal matrix, and the last element of the normalized eigenvector.
struct Ritz {
  double value, last;
};

/// Computes the eigenvalues, in descending order, of the symmetric matrix with diagonal d and
/// off-diagonal e by implicit QL steps (EISPACK's tql2, but with only the last row of the
/// eigenvectors).
std::vector<Ritz> ritz_values(std::vector<double> d, std::vector<double> e) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto n = static_cast<Index>(d.size());
  std::vector<double> last(n, 0.0);
  last.back() = 1;
  e.resize(n, 0.0);
  const auto end_of_block = [&](Index first) {
    while (first + 1 < n &&
           std::abs(e[first]) > epsilon * (std::abs(d[first]) + std::abs(d[first + 1])))
      ++first;
    return first;
  };
  for (Index first = 0; first < n; ++first)
    for (Index end = end_of_block(first); end > first; end = end_of_block(first)) {
      const double half = (d[first + 1] - d[first]) / (2 * e[first]);
      double g =
          d[end] - d[first] + e[first] / (half + std::copysign(std::sqrt(half * half + 1), half));
      double s = 1, c = 1, p = 0;
      Index i = end - 1;
      for (; i >= first; --i) {
        const double f = s * e[i], b = c * e[i], r = std::sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) break;
        s = f / r, c = g / r;
        const double shifted = d[i + 1] - p, t = (d[i] - shifted) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = shifted + p;
        g = c * t - b;
        const double upper = last[i], lower = last[i + 1];
        last[i + 1] = s * upper + c * lower;
        last[i] = c * upper - s * lower;
      }
      if (i >= first) {
        d[i + 1] -= p;  // an off-diagonal element became 0 and splits the matrix
      } else {
        d[first] -= p;
        e[first] = g;
      }
      e[end] = 0;
    }
  std::vector<Ritz> all;
  for (Index i = 0; i < n; ++i) all.push_back({d[i], last[i]});
  std::sort(all.begin(), all.end(), [](const Ritz& a, const Ritz& b) { return a.value > b.value; });
  return all;
}

double norm(const Tensor& v) { return std::sqrt(dot(v, v)); }

/// Removes v's components along an orthonormal basis. A second pass removes the rounding errors of
/// the first.
Tensor orthogonal(Tensor v, const std::vector<Tensor>& basis) {
  for (int time = 0; time < 2; ++time)
    for (const Tensor& q : basis) v = v - q * dot(q, v);
  return v;
}

RandomKey key(Index number, std::uint32_t site) {
  return {0, Draw::sample, 0, site, static_cast<std::uint32_t>(number)};
}

}  // namespace

double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item(); }

Eigenvalues largest_eigenvalues(Index size, const Product& product, const LanczosOptions& options) {
  const auto wanted = static_cast<std::size_t>(std::min(options.count, size));
  std::vector<Tensor> basis;
  std::vector<double> diagonal, beside;
  Tensor next = normal_direction(size, 0);
  next = next * (1 / norm(next));
  for (;;) {
    basis.push_back(next);
    next = product(basis.back());
    diagonal.push_back(dot(basis.back(), next));
    next = orthogonal(next, basis);
    double left = norm(next);
    if (!std::isfinite(diagonal.back()) || !std::isfinite(left))
      throw Error(
          "the second derivatives of the loss aren't finite; the training probably diverged");

    const std::vector<Ritz> ritz = ritz_values(diagonal, beside);
    const double scale = std::max(std::abs(ritz.front().value), std::abs(ritz.back().value));
    Eigenvalues found;
    bool close = ritz.size() >= wanted;
    for (std::size_t i = 0; i < std::min(wanted, ritz.size()); ++i) {
      found.largest.push_back(ritz[i].value);
      found.residuals.push_back(left * std::abs(ritz[i].last));
      close = close && found.residuals.back() <= options.tolerance * scale;
    }
    found.smallest = ritz.back().value;
    found.products = static_cast<Index>(ritz.size());
    if (close || found.products >= std::min(std::max(options.most, options.count), size))
      return found;

    constexpr double nothing = 1e-13;
    if (left <= nothing * scale) {  // invariant subspace: continue with a vector outside it
      next = orthogonal(normal_direction(size, found.products), basis);
      next = next * (1 / norm(next));
      beside.push_back(0);
    } else {
      next = next * (1 / left);
      beside.push_back(left);
    }
  }
}

Tensor normal_direction(Index size, Index number) {
  return random_normal({size}, key(number, 1), DType::f64);
}

Tensor sign_direction(Index size, Index number) {
  const Tensor uniform = random_uniform({size}, -1, 1, key(number, 2), DType::f64);
  return cast(less(uniform, zeros({size}, DType::f64)), DType::f64) * -2.0 + 1.0;
}

}  // namespace tapehead
