#pragma once
#include "gemm.hpp"

namespace tapehead {

/// The units that multiply bf16. A processor that has one of them has those before it, too.
enum class Bf16Unit { none, avx512, amx };
/// The fastest unit of this processor.
Bf16Unit bf16_unit();

/// As gemm, with the elements of a and b rounded to bf16 (to nearest, ties to even), and products
/// and sums in f32. An element's sum does not depend on which rows of c are computed with it. The
/// processor must have the unit, which must not be none.
void gemm_bf16(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
               float factor, bool accumulate, const float* bias = nullptr,
               Bf16Unit unit = bf16_unit());

}  // namespace tapehead
