#pragma once
#include "gemm.hpp"

namespace tapehead {

/// The current backend; the environment sets the initial one.
GemmBackend backend_now();

/// gemm for sizes other than zero, by the library that was asked for, or else the fastest one here;
/// all on the calling thread.
void library_gemm(const Matrix<const float>& a, const Matrix<const float>& b,
                  const Matrix<float>& c, float factor, bool accumulate);
void library_gemm(const Matrix<const double>& a, const Matrix<const double>& b,
                  const Matrix<double>& c, double factor, bool accumulate);

}  // namespace tapehead
