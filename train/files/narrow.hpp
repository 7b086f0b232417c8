#pragma once
// Numbers of 16 bits as f32, exactly. An infinity or a NaN stays one.
#include <cstdint>
#include <cstring>

namespace tapehead {

inline float bits_to_float(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// IEEE 754's binary16, of an exponent of 5 bits and a fraction of 10.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = half & 0x8000U, exponent = half >> 10 & 31U, fraction = half & 1023U;
  if (exponent == 0) {  // zero, or a multiple of 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -size : size;
  }
  return bits_to_float(sign << 16 | (exponent == 31 ? 255U : exponent + 112U) << 23 |
                       fraction << 13);
}

/// bfloat16, the upper half of an f32.
inline float bf16_to_float(std::uint16_t half) { return bits_to_float(std::uint32_t{half} << 16); }

}  // namespace tapehead
