#include "draws.hpp"
#include "../kernels.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr Index numbers = 8;  // 16-bit numbers per Philox block

}  // namespace

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

void DropoutDraw::rows(const RandomKey& key, Index first, Index stride, Index rows, Index n,
                       std::uint32_t* kept) const {
  constexpr Index most = tuning::dropout_block / numbers;
  std::uint32_t blocks[most], words[4 * most];
  const Index of_row = (n + numbers - 1) / numbers, all = rows * of_row;
  for (Index at = 0, row = 0, column = 0; at < all; at += most) {
    const Index count = std::min(most, all - at), results = (count + 3) / 4;
    for (Index i = 0; i < count; ++i) {
      blocks[i] = static_cast<std::uint32_t>((first + row * stride) / numbers + column);
      if (++column == of_row) column = 0, ++row;
    }
    random_blocks(key, blocks, count, words);
    std::fill(words + 4 * count, words + 16 * results, 0);
    bit_kernels().at_least(dropped_, words, results, kept + at / 4);
  }
}

}  // namespace tapehead
