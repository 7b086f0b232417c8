#pragma once
#include <tapehead/core/gemm.hpp>

namespace tapehead {

/// gemm of sizes that aren't zero, by the library that is fastest here; the calling thread does it
/// all.
void multiply_on_this_thread(Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                             float factor, bool accumulate);
void multiply_on_this_thread(Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
                             double factor, bool accumulate);

}  // namespace tapehead
