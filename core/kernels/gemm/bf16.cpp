#include "bf16.hpp"
#include "../../system/machine.hpp"
#include "../kernels.hpp"
#include "../processor.hpp"
#include "bf16_pack.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#ifdef TAPEHEAD_BF16

namespace tapehead {

Bf16Unit bf16_unit() {
  static const Processor processor;
  static const Bf16Unit found = instruction_set() != "v4" || !processor.avx512_bf16
                                    ? Bf16Unit::software
                                : processor.amx_bf16 && system::allows_amx() ? Bf16Unit::amx
                                                                             : Bf16Unit::avx512;
  return found;
}

}  // namespace tapehead
#else
namespace tapehead {

Bf16Unit bf16_unit() { return Bf16Unit::software; }

}  // namespace tapehead
#endif

namespace tapehead {
namespace {

float rounded(float x) {
  if (std::isnan(x)) return x;
  if (std::abs(x) < std::numeric_limits<float>::min()) return std::copysign(0.0f, x);
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

/// The rounded elements of m, row after row as they lie in memory.
std::vector<float> rounded(const Matrix<const float>& m) {
  if (m.transposed) return rounded(m.t());
  std::vector<float> elements;
  elements.reserve(static_cast<std::size_t>(m.rows * m.columns));
  for (Index i = 0; i < m.rows; ++i)
    for (Index j = 0; j < m.columns; ++j) elements.push_back(rounded(m.data[i * m.stride + j]));
  return elements;
}

void gemm_bf16_software(const Matrix<const float>& a, const Matrix<const float>& b,
                        const Matrix<float>& c, const Epilogue<float>& epilogue) {
  const std::vector<float> left = rounded(a), right = rounded(b);
  const auto in = [](const std::vector<float>& elements, const Matrix<const float>& m) {
    return m.transposed ? matrix(elements.data(), m.columns, m.rows).t()
                        : matrix(elements.data(), m.rows, m.columns);
  };
  kernels<float>().multiply_tiles(in(left, a), in(right, b), c, epilogue);
}

}  // namespace

void gemm_bf16(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c,
               const Epilogue<float>& epilogue, Bf16Unit unit) {
#ifdef TAPEHEAD_BF16
  if (unit == Bf16Unit::amx) return gemm_bf16_amx(a, b, c, epilogue);
  if (unit == Bf16Unit::avx512) return gemm_bf16_avx512(a, b, c, epilogue);
#else
  (void)unit;
#endif
  gemm_bf16_software(a, b, c, epilogue);
}

}  // namespace tapehead
