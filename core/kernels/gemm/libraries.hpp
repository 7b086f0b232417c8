#pragma once
#include "gemm.hpp"

namespace tapehead {

/// Who multiplies now; the environment says what to begin with.
GemmBackend backend_now();

/// gemm of sizes that aren't zero, by the library that was asked for, or else the one that is
/// fastest here; the calling thread does it all.
void library_gemm(const Matrix<const float>& a, const Matrix<const float>& b,
                  const Matrix<float>& c, float factor, bool accumulate);
void library_gemm(const Matrix<const double>& a, const Matrix<const double>& b,
                  const Matrix<double>& c, double factor, bool accumulate);

}  // namespace tapehead
