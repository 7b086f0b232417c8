#pragma once
#include <tapehead/core/gemm.hpp>

namespace tapehead {

/// Whether gemm_tiled is as fast as the libraries, or faster: for all that attention makes head by
/// head, which takes the libraries longer to begin with than to compute, and up to some million
/// multiplications, more of them with a bias.
bool is_tiled(const Matrix<float>& c, Index inner, bool with_bias);
/// As gemm.
void gemm_tiled(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, float factor,
                bool accumulate, const float* bias);

}  // namespace tapehead
