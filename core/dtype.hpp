#pragma once
// Element types.
#include "error.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tapehead {

/// An element type: 32-bit or 64-bit float, 32-bit integer, or bfloat16.
enum class DType : std::uint8_t { f32, f64, i32, bf16 };

/// A bfloat16 number: the upper half of an f32, with 8 exponent bits and 7 fraction bits.
struct Bf16 {
  std::uint16_t bits;
};

/// The precision of a matmul of f32 matrices: `bf16` rounds both factors to bf16. Sums are in f32
/// either way. f64 factors are never rounded.
enum class Precision : std::uint8_t { f32, bf16 };

inline const char* to_string(DType dtype) {
  constexpr const char* names[] = {"f32", "f64", "i32", "bf16"};
  return names[static_cast<int>(dtype)];
}
/// Returns the size of one element in bytes.
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
