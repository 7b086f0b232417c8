#pragma once
#include "gemm.hpp"

namespace tapehead {

/// Whether packed_gemm is at least as fast as the libraries: for the products of attention, head by
/// head, for which the overhead of the libraries exceeds the computation; for products of up to
/// some million multiplications; and where b is transposed, as the weights of a layer are.
bool prefers_packed(const Matrix<const float>& a, const Matrix<const float>& b,
                    const Matrix<float>& c);
/// As gemm. An element's sum does not depend on which rows and columns of c are computed with it.
void packed_gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
                 float factor, bool accumulate, const float* bias);

}  // namespace tapehead
