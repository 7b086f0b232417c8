#pragma once
// Eigenvalues of a symmetric matrix that only its products with vectors are known of.
#include "../../core/tensor.hpp"

#include <functional>
#include <vector>

namespace tapehead {

/// The sum of products of two vectors' elements.
double dot(const Tensor& a, const Tensor& b);

/// v -> A v, both f64 (n).
using Product = std::function<Tensor(const Tensor& v)>;

struct LanczosOptions {
  Index count = 1;          ///< how many of the largest eigenvalues to find
  double tolerance = 1e-4;  ///< of residuals, as a fraction of the largest eigenvalue by magnitude
  Index most = 200;         ///< products
};

/// What the products with a growing space of vectors tell of a matrix's eigenvalues.
struct Eigenvalues {
  std::vector<double> largest;    ///< the largest first; each at most the true one
  std::vector<double> residuals;  ///< of each: an eigenvalue is no farther away than that
  double smallest = 0;            ///< that of the whole matrix is at most this
  Index products = 0;
};
/// The largest eigenvalues of a matrix of `size` rows, by the method of Lanczos with full
/// reorthogonalisation (Golub and Van Loan, "Matrix Computations", 10.3): it keeps a vector of
/// `size` for each product. Of equal eigenvalues it finds one. Throws Error if a product is
/// non-finite.
Eigenvalues largest_eigenvalues(Index size, const Product& product,
                                const LanczosOptions& options = {});

/// A vector whose elements are drawn from a normal distribution, f64 (size); and one of 1 and -1.
/// Vectors of different numbers are independent.
Tensor normal_direction(Index size, Index number);
Tensor sign_direction(Index size, Index number);

}  // namespace tapehead
