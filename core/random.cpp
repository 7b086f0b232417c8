#include <tapehead/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

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

template <class T>
void keep_or_drop(const RandomKey& key, Index first, Index n, std::uint32_t dropped, T scale,
                  T* keep) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "an element's half of a word");
  constexpr Index block = 1024;  // elements, two to a word
  std::uint32_t words[block / 2];
  std::uint16_t halves[block];
  for (Index at = first - first % 8, end = first + n; at < end; at += block) {
    const Index count = std::min(block, end - at), skip = std::max<Index>(first - at, 0);
    random_bits(key, at / 2, (count + 1) / 2, words);
    std::memcpy(halves, words, sizeof halves);
    T* const out = keep + (at + skip - first);
    for (Index i = 0; i < count - skip; ++i) out[i] = halves[skip + i] >= dropped ? scale : T{0};
  }
}

/// A tensor whose elements are drawn in order.
template <class Draw>
Tensor drawn(const char* op, const Shape& shape, DType dtype, Draw draw) {
  Tensor x = Tensor::empty(shape, dtype);
  dispatch_float(op, dtype, [&](auto zero) {
    using T = decltype(zero);
    std::generate_n(x.fresh<T>(), x.size(), [&] { return static_cast<T>(draw()); });
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
  constexpr Index together = 32;  // blocks, their rounds side by side in vectors
  std::uint32_t a[together], b[together], c[together], d[together];
  for (Index at = 0; at < n; at += 4 * together) {
    const auto start = counter_of(key, (first + at) / 4);
    auto [k0, k1] = seed_of(key);
    for (Index i = 0; i < together; ++i) {
      a[i] = start[0] + static_cast<std::uint32_t>(i);
      b[i] = start[1], c[i] = start[2], d[i] = start[3];
    }
    for (int round = 0; round < 10; ++round, k0 += weyl_a, k1 += weyl_b)
      for (Index i = 0; i < together; ++i) {
        const std::uint64_t x = std::uint64_t{multiplier_a} * a[i];
        const std::uint64_t y = std::uint64_t{multiplier_b} * c[i];
        a[i] = static_cast<std::uint32_t>(y >> 32) ^ b[i] ^ k0,
        b[i] = static_cast<std::uint32_t>(y);
        c[i] = static_cast<std::uint32_t>(x >> 32) ^ d[i] ^ k1,
        d[i] = static_cast<std::uint32_t>(x);
      }
    std::uint32_t words[4 * together];
    for (Index i = 0; i < together; ++i)
      words[4 * i] = a[i], words[4 * i + 1] = b[i], words[4 * i + 2] = c[i],
                words[4 * i + 3] = d[i];
    std::copy_n(words, std::min(4 * together, n - at), out + at);
  }
}

void DropoutDraw::operator()(const RandomKey& key, Index first, Index n, float* keep) const {
  keep_or_drop(key, first, n, dropped_, static_cast<float>(scale_), keep);
}
void DropoutDraw::operator()(const RandomKey& key, Index first, Index n, double* keep) const {
  keep_or_drop(key, first, n, dropped_, scale_, keep);
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
