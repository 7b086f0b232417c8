#pragma once
#include "gemm.hpp"

namespace tapehead {

/// gemm for sizes other than zero, by the linked BLAS, on the calling thread.
void blas_gemm(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
               const Epilogue<float>& epilogue);
void blas_gemm(const Matrix<const double>& a, const Matrix<const double>& b,
               const Matrix<double>& c, const Epilogue<double>& epilogue);

}  // namespace tapehead
