#include "random.hpp"
#include "kernels/simd.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr std::uint32_t multiplier_a = 0xD2511F53, multiplier_b = 0xCD9E8D57;
constexpr std::uint32_t weyl_a = 0x9E3779B9, weyl_b = 0xBB67AE85;

/// The counter of a key: (block, example, site and purpose, step).
std::array<std::uint32_t, 4> counter_of(const RandomKey& key, Index block) {
  return {static_cast<std::uint32_t>(block), key.example,
          key.site | static_cast<std::uint32_t>(key.draw) << 24, key.step};
}
std::array<std::uint32_t, 2> seed_of(const RandomKey& key) {
  return {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)};
}

/// Words of 32 bits in the low halves of lanes, so that products have room. Above lies anything.
using Words = Vec<std::uint64_t>;
const std::uint64_t low_half = 0xFFFFFFFF;

/// Without the instruction for it compilers multiply the high halves, too.
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

/// A tensor whose elements are drawn in order.
template <class Draw>
Tensor drawn(const char* op, const Shape& shape, DType dtype, Draw draw) {
  Tensor x = Tensor::empty(shape, dtype);
  dispatch_float(op, dtype, [&](auto zero) {
    using T = decltype(zero);
    std::generate_n(x.mutable_data<T>(), x.size(), [&] { return static_cast<T>(draw()); });
  });
  return x;
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

void random_bits(const RandomKey& key, Index first, Index n, std::uint32_t* out) {
  constexpr Index wide = lanes<std::uint64_t>, registers = 4;  // of each word of so many blocks
  constexpr Index words = 4 * wide * registers;
  constexpr std::make_index_sequence<Words::size> all;
  const Words low(low_half), number = lane_numbers<std::uint64_t>();
  const Words by_a(multiplier_a), by_b(multiplier_b);
  for (Index at = 0; at < n; at += words) {
    const auto start = counter_of(key, (first + at) / 4);
    auto [k0, k1] = seed_of(key);
    Words a[registers], b[registers], c[registers], d[registers];
    unrolled<registers>([&](auto r) {
      a[r] = number + Words(std::uint64_t{start[0]} + r * wide);
      b[r] = Words(start[1]), c[r] = Words(start[2]), d[r] = Words(start[3]);
    });
    for (int round = 0; round < 10; ++round, k0 += weyl_a, k1 += weyl_b) {
      const Words key_a(k0), key_b(k1);
      unrolled<registers>([&](auto r) {
        const Words x = multiply(a[r], by_a), y = multiply(c[r], by_b);
        a[r] = (y >> 32) ^ b[r] ^ key_a, b[r] = y;
        c[r] = (x >> 32) ^ d[r] ^ key_b, d[r] = x;
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

std::uint32_t Random::bits() {
  if (next_ % 4 == 0) block_ = philox(counter_of(key_, next_ / 4), seed_of(key_));
  return block_[static_cast<std::size_t>(next_++ % 4)];
}

Index Random::below(Index n) {
  if (n < 1 || n > Index{1} << 32) throw ValueError("below: n is {}, and must be 1 to 2^32", n);
  // Lemire's multiplication: the few draws that would favour some values are drawn again.
  const std::uint64_t range = static_cast<std::uint64_t>(n);
  const std::uint64_t unfair = (std::uint64_t{1} << 32) % range;
  std::uint64_t product;
  do product = bits() * range;
  while (static_cast<std::uint32_t>(product) < unfair);
  return static_cast<Index>(product >> 32);
}

double Random::uniform() {
  const std::uint64_t high = bits() >> 5, low = bits() >> 6;
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

double Random::normal() {  // Box and Muller, one of the pair
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

Tensor random_normal(const Shape& shape, const RandomKey& key, DType dtype) {
  Random random(key);
  return drawn("random_normal", shape, dtype, [&] { return random.normal(); });
}

Tensor random_uniform(const Shape& shape, double low, double high, const RandomKey& key,
                      DType dtype) {
  Random random(key);
  return drawn("random_uniform", shape, dtype,
               [&] { return low + (high - low) * random.uniform(); });
}

}  // namespace tapehead
