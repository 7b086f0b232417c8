#pragma once
#include <tapehead/core/gemm.hpp>

namespace tapehead {

/// Whether a product is of the kind that attention makes head by head: too small for the libraries,
/// which take longer to begin with it than to compute it.
inline bool is_small(const Matrix<float>& c, Index inner) {
  constexpr Index most = 64, volume = 1 << 16;
  return c.rows <= most && c.columns <= most && inner <= most &&
         c.rows * c.columns * inner <= volume;
}
/// As gemm, for a small product.
void gemm_small(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                bool accumulate);

}  // namespace tapehead
