#include "dropout.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

constexpr Index word_bits = 32;
using Words = std::array<std::uint32_t, word_bits>;
static_assert(query_block == word_bits);

/// Transposes a bit matrix: bit i of word j becomes bit j of word i. Swaps the two off-diagonal
/// quarters, then recurses into each quarter (Warren, "Hacker's Delight", 7-3).
void transpose(Words& words) {
  std::uint32_t low = 0xFFFF;
  for (std::size_t half = word_bits / 2; half > 0; half /= 2, low ^= low << half)
    for (std::size_t first = 0; first < word_bits; first += 2 * half)
      for (std::size_t i = first; i < first + half; ++i) {
        const std::uint32_t change = (words[i] >> half ^ words[i + half]) & low;
        words[i] ^= change << half;
        words[i + half] ^= change;
      }
}

/// Returns the 32 bits of `words` that begin at `bit`.
std::uint32_t bits_from(const std::uint32_t* words, Index bit) {
  const std::uint32_t* const at = words + bit / word_bits;
  return static_cast<std::uint32_t>((at[0] | std::uint64_t{at[1]} << word_bits) >> bit % word_bits);
}

}  // namespace

void DropoutMask::draw(const Tile& tile, std::uint32_t* all) {
  if (plan_.dropout == 0) return;
  std::uint32_t drawn[query_block * key_tile / word_bits + 1] = {};
  RandomKey key = plan_.key;
  key.example += static_cast<std::uint32_t>(tile.b);
  const Index heads = plan_.n.heads;
  dropout_.rows(key, weight_element(tile.first, tile.h, heads, tile.k0),
                weight_element(1, 0, heads, 0), tile.queries, tile.keys, drawn);
  const Index row = DropoutDraw::row_bits(tile.keys);
  std::uint32_t* const to = all ? all + tile.kept() : own_;
  for (Index j = 0; j < tile.keys; j += word_bits) {
    Words square = {};
    for (Index i = 0; i < tile.queries; ++i) square[i] = bits_from(drawn, i * row + j);
    transpose(square);
    std::copy_n(square.data(), std::min(word_bits, tile.keys - j), to + j);
  }
  words_ = to;
}

void DropoutMask::find(const Tile& tile, const std::uint32_t* all) {
  if (plan_.dropout == 0) return;
  if (all)
    words_ = all + tile.kept();
  else
    draw(tile, nullptr);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
