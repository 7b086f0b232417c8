#include "philox.hpp"

namespace tapehead {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{philox_multiplier_a} * c[0];
    const std::uint64_t b = std::uint64_t{philox_multiplier_b} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k = {k[0] + philox_weyl_a, k[1] + philox_weyl_b};
  }
  return c;
}

}  // namespace tapehead
