#pragma once
// Eigenvalues of a symmetric matrix, computed from matrix-vector products.
#include "../../core/tensor.hpp"

#include <functional>
#include <vector>

namespace tapehead {

/// Returns the dot product of two vectors.
double dot(const Tensor& a, const Tensor& b);

/// A function that returns A v for a vector v of n elements; both are f64.
using Product = std::function<Tensor(const Tensor& v)>;

struct LanczosOptions {
  Index count = 1;          ///< number of largest eigenvalues to find
  double tolerance = 1e-4;  ///< maximum residual, relative to the largest eigenvalue by magnitude
  Index most = 200;         ///< maximum number of matrix-vector products
};

/// Estimates of a matrix's eigenvalues from a Krylov subspace.
struct Eigenvalues {
  std::vector<double> largest;    ///< in descending order; each is at most the true value
  std::vector<double> residuals;  ///< maximum distance of each estimate from an eigenvalue
  double smallest = 0;            ///< upper bound of the smallest eigenvalue
  Index products = 0;
};
/// Computes the largest eigenvalues of a matrix with `size` rows by the Lanczos method with full
/// reorthogonalization (Golub and Van Loan, "Matrix Computations", 10.3). Keeps one vector of
/// `size` elements in memory per matrix-vector product. Returns a repeated eigenvalue only once.
/// Throws Error if a product isn't finite.
Eigenvalues largest_eigenvalues(Index size, const Product& product,
                                const LanczosOptions& options = {});

/// Return f64 vectors (size) of normally distributed elements, or of random signs 1 and -1. The
/// vectors of different numbers are independent.
Tensor normal_direction(Index size, Index number);
Tensor sign_direction(Index size, Index number);

}  // namespace tapehead
