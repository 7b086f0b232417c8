#include "dropout.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

constexpr Index word_bits = 32;
using Words = std::array<std::uint32_t, word_bits>;
static_assert(query_block == word_bits);

/// Bit i of word j becomes bit j of word i: swaps the two off-diagonal quarters, then those of each
/// quarter, and so on (Warren, "Hacker's Delight", 7-3).
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

/// The 32 bits that begin at any bit.
std::uint32_t bits_from(const std::uint32_t* words, Index bit) {
  const std::uint32_t* const at = words + bit / word_bits;
  return static_cast<std::uint32_t>((at[0] | std::uint64_t{at[1]} << word_bits) >> bit % word_bits);
}

}  // namespace

void Kept::draw(const Tile& tile, std::uint32_t* all) {
  if (plan_.dropout == 0) return;
  constexpr Index row =
      key_tile / word_bits + 2;  // words; a row may begin at any bit of its first word
  std::uint32_t drawn[query_block * row] = {};
  Index begin[query_block];  // the first bit of each query's row
  RandomKey key = plan_.key;
  key.example += static_cast<std::uint32_t>(tile.b);
  const Index keys = plan_.n.keys;
  const Index start = (tile.h * plan_.n.queries + tile.first) * keys + tile.k0;
  const auto begin_at = [&](Index first, Index n, std::uint32_t* to) {
    const Index before = first % 8;
    dropout_(key, first - before, before + n, to);
    return (to - drawn) * word_bits + before;
  };
  // Rows of whole sequences are adjacent: drawing them together is faster than one by one.
  if (keys <= key_tile && 2 * tile.keys >= keys) {
    begin[0] = begin_at(start, tile.queries * keys, drawn);
    for (Index i = 1; i < tile.queries; ++i) begin[i] = begin[i - 1] + keys;
  } else {
    for (Index i = 0; i < tile.queries; ++i)
      begin[i] = begin_at(start + i * keys, tile.keys, drawn + i * row);
  }
  std::uint32_t* const to = all ? all + tile.kept() : own_;
  for (Index j = 0; j < tile.keys; j += word_bits) {
    Words square = {};
    for (Index i = 0; i < tile.queries; ++i) square[i] = bits_from(drawn, begin[i] + j);
    transpose(square);
    std::copy_n(square.data(), std::min(word_bits, tile.keys - j), to + j);
  }
  words_ = to;
}

void Kept::find(const Tile& tile, const std::uint32_t* all) {
  if (plan_.dropout == 0) return;
  if (all)
    words_ = all + tile.kept();
  else
    draw(tile, nullptr);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
