#include "philox.hpp"
#include "simd.hpp"

namespace tapehead {
namespace {

constexpr std::uint32_t multiplier_a = 0xD2511F53, multiplier_b = 0xCD9E8D57;
constexpr std::uint32_t weyl_a = 0x9E3779B9, weyl_b = 0xBB67AE85;

/// Words of 32 bits in the low halves of 64-bit lanes, which leaves room for products. The high
/// halves are arbitrary.
using Words = Vec<std::uint64_t>;
const std::uint64_t low_half = 0xFFFFFFFF;

/// Uses the instruction for 32-bit factors explicitly: compilers would multiply the high halves,
/// too.
Words multiply(const Words& x, const Words& y) {
#if XSIMD_WITH_AVX512F
  return _mm512_mul_epu32(x, y);
#elif XSIMD_WITH_AVX2
  return _mm256_mul_epu32(x, y);
#else
  return (x & Words(low_half)) * (y & Words(low_half));
#endif
}

void store(const Words& x, std::uint32_t* to) {
  xsimd::bitwise_cast<Vec<std::uint32_t>>(x).store_unaligned(to);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{multiplier_a} * c[0];
    const std::uint64_t b = std::uint64_t{multiplier_b} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k = {k[0] + weyl_a, k[1] + weyl_b};
  }
  return c;
}

void philox_words(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key, Index n,
                  std::uint32_t* out) {
  constexpr Index wide = lanes<std::uint64_t>, registers = 4;  // registers of each word of a block
  constexpr Index words = 4 * wide * registers;
  constexpr std::make_index_sequence<Words::size> all;
  const Words low(low_half), number = lane_numbers<std::uint64_t>();
  const Words by_a(multiplier_a), by_b(multiplier_b);
  for (Index at = 0; at < n; at += words) {
    auto [k0, k1] = key;
    const std::uint32_t block = counter[0] + static_cast<std::uint32_t>(at / 4);
    Words a[registers], b[registers], c[registers], d[registers];
    unrolled<registers>([&](auto r) {
      a[r] = number + Words(std::uint64_t{block} + r * wide);
      b[r] = Words(counter[1]);
      c[r] = Words(counter[2]);
      d[r] = Words(counter[3]);
    });
    for (int round = 0; round < 10; ++round, k0 += weyl_a, k1 += weyl_b) {
      const Words key_a(k0), key_b(k1);
      unrolled<registers>([&](auto r) {
        const Words x = multiply(a[r], by_a), y = multiply(c[r], by_b);
        a[r] = (y >> 32) ^ b[r] ^ key_a;
        b[r] = y;
        c[r] = (x >> 32) ^ d[r] ^ key_b;
        d[r] = x;
      });
    }
    std::uint32_t rest[words];
    std::uint32_t* const to = n - at < words ? rest : out + at;
    unrolled<registers>([&](auto r) {
      const Words ab = (a[r] & low) | (b[r] << 32), cd = (c[r] & low) | (d[r] << 32);
      store(interleave<0>(ab, cd, all), to + 4 * r * wide);
      store(interleave<wide / 2>(ab, cd, all), to + (4 * r + 2) * wide);
    });
    if (to == rest) std::copy_n(rest, n - at, out + at);
  }
}

}  // namespace tapehead
