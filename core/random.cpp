#include "random.hpp"
#include "dispatch.hpp"
#include "kernels/functions/angles.hpp"
#include "kernels/functions/logarithms.hpp"
#include "kernels/kernels.hpp"
#include "kernels/random/draws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

/// Returns the last three words of the Philox counter, which is (block, example, site and purpose,
/// step).
std::array<std::uint32_t, 3> rest_of(const RandomKey& key) {
  return {key.example, key.site | static_cast<std::uint32_t>(key.draw) << 24, key.step};
}
std::array<std::uint32_t, 2> seed_of(const RandomKey& key) {
  return {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)};
}

/// Makes a tensor, and calls `draw` for the value of each element in row-major order.
template <class Draw>
Tensor drawn(const char* op, const Shape& shape, DType dtype, Draw draw) {
  Tensor x = constant(Tensor::empty(shape, dtype));
  with_floats(op, dtype, [&](auto zero) {
    using T = decltype(zero);
    std::generate_n(x.mutable_data<T>(), x.size(), [&] { return static_cast<T>(draw()); });
  });
  return x;
}

}  // namespace

void random_blocks(const RandomKey& key, const std::uint32_t* blocks, Index n, std::uint32_t* out) {
  bit_kernels().philox(blocks, n, rest_of(key), seed_of(key), out);
}

void random_bits(const RandomKey& key, Index first, Index n, std::uint32_t* out) {
  constexpr Index most = 64;
  std::uint32_t blocks[most], words[4 * most];
  for (Index at = 0; at < n; at += 4 * most) {
    const Index count = std::min(4 * most, n - at);
    std::iota(blocks, blocks + most, static_cast<std::uint32_t>((first + at) / 4));
    random_blocks(key, blocks, (count + 3) / 4, words);
    std::copy_n(words, count, out + at);
  }
}

std::uint32_t Random::bits() {
  if (next_ % 4 == 0) {
    const auto [example, site, step] = rest_of(key_);
    block_ = philox({static_cast<std::uint32_t>(next_ / 4), example, site, step}, seed_of(key_));
  }
  return block_[next_++ % 4];
}

Index Random::below(Index n) {
  if (n < 1 || n > Index{1} << 32) throw ValueError("below: n is {}, expected 1 to 2^32", n);
  // Lemire's multiplication method: rejects the few random words that would favour some results.
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

double Random::normal() {  // Box-Muller; drops the second number of each pair
  const double radius = std::sqrt(-2 * kernel::log(1 - uniform()));
  return radius * kernel::cos(6.283185307179586 * uniform());
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
