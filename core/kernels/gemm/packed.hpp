#pragma once
#include "gemm.hpp"

namespace tapehead {

/// Whether packed_gemm is as fast as the libraries, or faster: for all that attention makes head by
/// head, which takes the libraries longer to begin with than to compute, for products of up to some
/// million multiplications, and for all where b is transposed, as the weights of a layer are.
bool prefers_packed(const Matrix<const float>& a, const Matrix<const float>& b,
                    const Matrix<float>& c);
/// As gemm. An element's sum is the same whatever rows and columns of c are computed with it.
void packed_gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
                 float factor, bool accumulate, const float* bias);

}  // namespace tapehead
