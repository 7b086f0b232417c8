#include "dropout_bits.hpp"
#include "../kernels.hpp"

#include <algorithm>

namespace tapehead {

void DropoutDraw::operator()(const RandomKey& key, Index first, Index n,
                             std::uint32_t* kept) const {
  constexpr Index block = tuning::dropout_block;
  std::uint32_t words[block / 2];
  for (Index at = 0; at < n; at += block) {
    const Index count = (std::min(block, n - at) + 31) / 32;
    random_bits(key, (first + at) / 2, 16 * count, words);
    bit_kernels().at_least(dropped_, words, count, kept + at / 32);
  }
}

}  // namespace tapehead
