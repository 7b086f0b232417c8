#pragma once
#include "../core/kernels/gemm/gemm.hpp"

namespace tapehead {

/// In place, x = U S V^T (its singular value decomposition) becomes nearly U V^T: five steps of
///   x = a x + b (x x^T) x + c (x x^T)^2 x, with a = 3.4445, b = -4.7750, c = 2.0315,
/// from x / |x|, bring singular values near 1, roughly to 0.7 to 1.2 (Jordan et al., "Muon"); those
/// below a thousandth of |x| stay smaller. Zeros stay zeros. x must be stored row by row, not
/// transposed.
void orthogonalise(Matrix<float> x);
void orthogonalise(Matrix<double> x);

}  // namespace tapehead
