#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace tapehead {

/// CRC-32 with reflected bits, inverted at the start and the end, as in PNG (specification, annex
/// D). The highest bit of `polynomial` is the coefficient of x^0.
class Crc32 {
 public:
  static constexpr std::uint32_t ieee = 0xedb88320;        ///< zip, PNG, Ethernet
  static constexpr std::uint32_t castagnoli = 0x82f63b78;  ///< CRC-32C

  explicit Crc32(std::uint32_t polynomial = ieee) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t rest = byte;
      for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
      rests_[byte] = rest;
    }
  }
  void add(std::string_view bytes) {
    for (const char byte : bytes)
      rest_ = rest_ >> 8 ^ rests_[(rest_ ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  std::uint32_t value() const { return ~rest_; }

 private:
  std::array<std::uint32_t, 256> rests_;  // remainder of each possible byte
  std::uint32_t rest_ = ~std::uint32_t{0};
};

}  // namespace tapehead
