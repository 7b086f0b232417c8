#pragma once
// The types of elements.
#include "error.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tapehead {

enum class DType : std::uint8_t { f32, f64, i32, bf16 };

/// The upper half of an f32: 8 bits of its exponent, 7 of its fraction.
struct Bf16 {
  std::uint16_t bits;
};

/// How a matmul of f32 matrices is computed: from its factors as they are, or from factors rounded
/// to bf16. Sums are in f32 either way. Factors in f64 are never rounded.
enum class Precision : std::uint8_t { f32, bf16 };

inline const char* to_string(DType dtype) {
  constexpr const char* names[] = {"f32", "f64", "i32", "bf16"};
  return names[static_cast<int>(dtype)];
}
/// Of one element.
constexpr std::size_t bytes_of(DType dtype) {
  return dtype == DType::f64 ? 8 : dtype == DType::bf16 ? sizeof(Bf16) : 4;
}

template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    std::is_same_v<T, std::int32_t> || std::is_same_v<T, Bf16>,
                "elements are float, double, std::int32_t or Bf16");
  return std::is_same_v<T, float>    ? DType::f32
         : std::is_same_v<T, double> ? DType::f64
         : std::is_same_v<T, Bf16>   ? DType::bf16
                                     : DType::i32;
}

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::DType> : tapehead::TextFormatter<tapehead::DType> {};
