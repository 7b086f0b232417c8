#pragma once
// Matmuls on the calling thread, for other kernels of the same instruction set.
#include "../simd.hpp"
#include "gemm.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

template <class T>
void multiply_tiles(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                    const Epilogue<T>& epilogue);
template <class T>
bool multiply_row(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c,
                  const Epilogue<T>& epilogue);

/// Does the same as tapehead::gemm, on the calling thread.
template <class T>
void gemm(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, T factor = 1,
          bool accumulate = false) {
  if (c.rows == 0 || c.columns == 0) return;
  const Epilogue<T> epilogue{factor, accumulate, nullptr};
  if (!multiply_row(a, b, c, epilogue)) multiply_tiles(a, b, c, epilogue);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
