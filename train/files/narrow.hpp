#pragma once
// Exact conversion of 16-bit floats to f32. Infinity and NaN are preserved.
#include <cstdint>
#include <cstring>

namespace tapehead {

inline float bits_to_float(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Converts IEEE 754 binary16 (5 bits of exponent, 10 of fraction).
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = half & 0x8000U, exponent = half >> 10 & 31U, fraction = half & 1023U;
  if (exponent == 0) {  // zero or subnormal: a multiple of 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -size : size;
  }
  return bits_to_float(sign << 16 | (exponent == 31 ? 255U : exponent + 112U) << 23 |
                       fraction << 13);
}

/// Converts bfloat16, the upper half of an f32.
inline float bf16_to_float(std::uint16_t half) { return bits_to_float(std::uint32_t{half} << 16); }

}  // namespace tapehead
