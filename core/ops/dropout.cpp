#include "../kernels/dropout_bits.hpp"
#include "../ops.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Bit i is set where number i of 32, two to a word, the lower half first, is at least `least`.
std::uint32_t at_least(std::uint32_t least, const std::uint32_t* words) {
  if (least > 0xFFFF) return 0;
#if XSIMD_WITH_AVX512BW
  return _mm512_cmpge_epu16_mask(_mm512_loadu_si512(words),
                                 _mm512_set1_epi16(static_cast<short>(least)));
#elif XSIMD_WITH_AVX2
  const __m256i limit = _mm256_set1_epi16(static_cast<short>(least));
  const auto stay = [&](const std::uint32_t* from) {  // unsigned numbers know no comparison here
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm256_cmpeq_epi16(_mm256_max_epu16(x, limit), x);
  };
  const __m256i both = _mm256_packs_epi16(stay(words), stay(words + 8));  // halves in turns
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

/// (examples, words): each example's elements have words of their own.
Tensor bits_for(const DropoutDraw& draw, Index examples, Index n, RandomKey key) {
  const Index words = (n + 31) / 32;
  Tensor kept = Tensor::empty({examples, words}, DType::i32);
  std::uint32_t* to = mutable_bits(kept);
  for (Index example = 0; example < examples; ++example, ++key.example, to += words)
    draw(key, 0, n, to);
  return kept;
}

/// Elements of x, times the scale, where their bits are set, and 0 elsewhere.
Tensor masked(const Tensor& x, const Tensor& kept, double scale) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  const Index examples = kept.dim(0), words = kept.dim(1);
  dispatch_float("dropout", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index n = x.size() / std::max(examples, Index{1});
    const std::uint32_t* bits = bits_of(kept);
    const T* in = x.data<T>();
    T* out = y.mutable_data<T>();
    const Vec<T> by(static_cast<T>(scale));
    for (Index row = 0; row < examples; ++row, bits += words, in += n, out += n)
      for (Index i = 0; i < n; i += lanes<T>) {
        const Index part = std::min(lanes<T>, n - i);
        store_part(out + i, part, keep(bits[i / 32] >> i % 32, by, load_part(in + i, part)));
      }
  });
  return record("dropout", y, {x},
                [=](const Tensor& dy) { return Grads{masked(dy, kept, scale)}; });
}

}  // namespace

void DropoutDraw::operator()(const RandomKey& key, Index first, Index n,
                             std::uint32_t* kept) const {
  constexpr Index block = 1024;  // elements, two to a word
  std::uint32_t words[block / 2];
  for (Index at = 0; at < n; at += block) {
    const Index count = (std::min(block, n - at) + 31) / 32;
    random_bits(key, (first + at) / 2, 16 * count, words);
    for (Index i = 0; i < count; ++i) kept[at / 32 + i] = at_least(dropped_, words + 16 * i);
  }
}

Tensor dropout(const Tensor& x, double p, const RandomKey& key) {
  if (!(p >= 0 && p <= 1))
    throw ValueError("dropout: p is {}, and a probability lies in [0, 1]", p);
  if (p == 0) return x;
  const Index examples = x.rank() > 0 ? x.dim(0) : 1;
  const DropoutDraw draw(p);
  return masked(x, bits_for(draw, examples, x.size() / std::max(examples, Index{1}), key),
                draw.scale());
}

}  // namespace tapehead
