// Random words, and dropout bits computed from them.
#include "../table.hpp"
#include "draws.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

/// 32-bit words in the low halves of 64-bit lanes, where 64-bit products fit. The high halves are
/// arbitrary.
using Words = Vec<std::uint64_t>;
const std::uint64_t low_half = 0xFFFFFFFF;

/// Multiplies the low halves of the lanes. Uses the instruction for 32-bit factors, because
/// compilers would multiply all 64 bits.
Words multiply(const Words& x, const Words& y) {
#if XSIMD_WITH_AVX512F
  return _mm512_mul_epu32(x, y);
#elif XSIMD_WITH_AVX2
  return _mm256_mul_epu32(x, y);
#else
  return (x & Words(low_half)) * (y & Words(low_half));
#endif
}

void store(const Words& x, std::uint32_t* to) { bits_as<std::uint32_t>(x).store_unaligned(to); }

void philox_words(const std::uint32_t* first, Index blocks, std::array<std::uint32_t, 3> rest,
                  std::array<std::uint32_t, 2> key, std::uint32_t* out) {
  constexpr Index wide = lanes<std::uint64_t>, registers = 4;  // per word of a block
  constexpr Index together = wide * registers;                 // blocks computed at once
  constexpr std::make_index_sequence<Words::size> all;
  const Words low(low_half);
  const Words by_a(philox_multiplier_a), by_b(philox_multiplier_b);
  for (Index at = 0; at < blocks; at += together) {
    auto [k0, k1] = key;
    const Index count = std::min(together, blocks - at);
    alignas(64) std::uint64_t wider[together] = {};
    std::copy_n(first + at, count, wider);
    Words a[registers], b[registers], c[registers], d[registers];
    unrolled<registers>([&](auto r) {
      a[r] = Words::load_aligned(wider + r * wide);
      b[r] = Words(rest[0]);
      c[r] = Words(rest[1]);
      d[r] = Words(rest[2]);
    });
    for (int round = 0; round < 10; ++round, k0 += philox_weyl_a, k1 += philox_weyl_b) {
      const Words key_a(k0), key_b(k1);
      unrolled<registers>([&](auto r) {
        const Words x = multiply(a[r], by_a), y = multiply(c[r], by_b);
        a[r] = (y >> 32) ^ b[r] ^ key_a;
        b[r] = y;
        c[r] = (x >> 32) ^ d[r] ^ key_b;
        d[r] = x;
      });
    }
    std::uint32_t part[4 * together];
    std::uint32_t* const to = count < together ? part : out + 4 * at;
    unrolled<registers>([&](auto r) {
      const Words ab = (a[r] & low) | (b[r] << 32), cd = (c[r] & low) | (d[r] << 32);
      store(interleave<0>(ab, cd, all), to + 4 * r * wide);
      store(interleave<wide / 2>(ab, cd, all), to + (4 * r + 2) * wide);
    });
    if (to == part) std::copy_n(part, 4 * count, out + 4 * at);
  }
}

/// Returns a word whose bit i is set if element i is at least `least`, for 32 elements in 16 words.
std::uint32_t at_least(std::uint32_t least, const std::uint32_t* words) {
  if (least > 0xFFFF) return 0;
#if XSIMD_WITH_AVX512BW
  return _mm512_cmpge_epu16_mask(_mm512_loadu_si512(words),
                                 _mm512_set1_epi16(static_cast<short>(least)));
#elif XSIMD_WITH_AVX2
  const __m256i limit = _mm256_set1_epi16(static_cast<short>(least));
  const auto stay = [&](const std::uint32_t* from) {  // AVX2 only compares signed numbers
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm256_cmpeq_epi16(_mm256_max_epu16(x, limit), x);
  };
  const __m256i both = _mm256_packs_epi16(stay(words), stay(words + 8));  // interleaves halves
  return static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0b11'01'10'00)));
#else
  std::uint32_t bits = 0;
  for (int i = 0; i < 16; ++i)
    bits |= std::uint32_t{(words[i] & 0xFFFF) >= least} << (2 * i) |
            std::uint32_t{words[i] >> 16 >= least} << (2 * i + 1);
  return bits;
#endif
}

}  // namespace

void add_bits(BitKernels& table) {
  table.philox = philox_words;
  table.at_least = [](std::uint32_t least, const std::uint32_t* words, Index count,
                      std::uint32_t* kept) {
    for (Index i = 0; i < count; ++i) kept[i] = at_least(least, words + 16 * i);
  };
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
