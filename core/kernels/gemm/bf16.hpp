#pragma once
#include "gemm.hpp"

namespace tapehead {

/// What multiplies bf16. A processor that has a unit for it has those before it, too. Software
/// gives any processor the numbers of the others, but for the order in which they sum, and is
/// slower than f32.
enum class Bf16Unit { software, avx512, amx };
/// The fastest unit of this processor.
Bf16Unit bf16_unit();

/// As gemm, with the elements of a and b rounded to bf16 (to nearest, ties to even; denormal
/// numbers to 0), and products and sums in f32. An element's sum does not depend on which rows of c
/// are computed with it. The processor must have the unit.
void gemm_bf16(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
               const Epilogue<float>& epilogue, Bf16Unit unit = bf16_unit());

}  // namespace tapehead
