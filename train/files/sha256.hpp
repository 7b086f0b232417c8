#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapehead {

/// SHA-256 (FIPS 180-4) of bytes that are added in pieces.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// Returns the digest in 64 hexadecimal digits. Nothing can be added afterwards.
  std::string hex();

 private:
  static constexpr std::size_t block_size = 64;

  void take(const char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, block_size> rest_{};  // bytes after the last complete block
  std::uint64_t count_ = 0;              // number of bytes added so far
};

}  // namespace tapehead
