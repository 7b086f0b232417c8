#include "dropout_bits.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Bit i is set if element i is at least `least`. There are 32 elements, two to a word, the lower
/// half first.
std::uint32_t at_least(std::uint32_t least, const std::uint32_t* words) {
  if (least > 0xFFFF) return 0;
#if XSIMD_WITH_AVX512BW
  return _mm512_cmpge_epu16_mask(_mm512_loadu_si512(words),
                                 _mm512_set1_epi16(static_cast<short>(least)));
#elif XSIMD_WITH_AVX2
  const __m256i limit = _mm256_set1_epi16(static_cast<short>(least));
  const auto stay = [&](const std::uint32_t* from) {  // AVX2 can't compare unsigned numbers
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm256_cmpeq_epi16(_mm256_max_epu16(x, limit), x);
  };
  const __m256i both = _mm256_packs_epi16(stay(words), stay(words + 8));  // halves interleaved
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

void DropoutDraw::operator()(const RandomKey& key, Index first, Index n,
                             std::uint32_t* kept) const {
  constexpr Index block = tuning::dropout_block;
  std::uint32_t words[block / 2];
  for (Index at = 0; at < n; at += block) {
    const Index count = (std::min(block, n - at) + 31) / 32;
    random_bits(key, (first + at) / 2, 16 * count, words);
    for (Index i = 0; i < count; ++i) kept[at / 32 + i] = at_least(dropped_, words + 16 * i);
  }
}

template <class T>
void keep_rows(const std::uint32_t* bits, Index examples, Index n, double scale, const T* x, T* y) {
  const Vec<T> by(static_cast<T>(scale));
  n /= std::max<Index>(examples, 1);
  const Index words = (n + 31) / 32;
  for (Index row = 0; row < examples; ++row, bits += words, x += n, y += n)
    for (Index i = 0; i < n; i += lanes<T>) {
      const Index part = std::min(lanes<T>, n - i);
      store_part(y + i, part, keep(bits[i / 32] >> i % 32, by, load_part(x + i, part)));
    }
}

template void keep_rows(const std::uint32_t*, Index, Index, double, const float*, float*);
template void keep_rows(const std::uint32_t*, Index, Index, double, const double*, double*);

}  // namespace tapehead
