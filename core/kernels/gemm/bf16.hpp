#pragma once
#include "gemm.hpp"

namespace tapehead {

/// What multiplies bf16. A processor that has one has those before it.
enum class Bf16Unit { none, avx512, amx };
/// The fastest here.
Bf16Unit bf16_unit();

/// As gemm, with the elements of a and b rounded to bf16 (to nearest, ties to even), their products
/// and sums in f32; a sum is the same whatever rows of c are computed with it. The processor must
/// have the unit, which must not be none.
void gemm_bf16(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
               float factor, bool accumulate, const float* bias = nullptr,
               Bf16Unit unit = bf16_unit());

}  // namespace tapehead
