#pragma once
#include "gemm.hpp"

namespace tapehead {

/// gemm of sizes that aren't zero, by the library that is fastest here; the calling thread does it
/// all.
void library_gemm(const Matrix<const float>& a, const Matrix<const float>& b,
                  const Matrix<float>& c, float factor, bool accumulate);
void library_gemm(const Matrix<const double>& a, const Matrix<const double>& b,
                  const Matrix<double>& c, double factor, bool accumulate);

}  // namespace tapehead
