#pragma once
#include <tapehead/core/gemm.hpp>

namespace tapehead {

constexpr Index small_side = 64;  ///< no axis of a small product is longer

/// Whether a product is of the kind that attention makes head by head: too small for the libraries,
/// which take longer to begin with it than to compute it.
inline bool is_small(const Matrix<float>& c, Index inner) {
  constexpr Index volume = 1 << 16;
  return c.rows <= small_side && c.columns <= small_side && inner <= small_side &&
         c.rows * c.columns * inner <= volume;
}
/// As gemm, for a small product.
void gemm_small(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                bool accumulate);

}  // namespace tapehead
