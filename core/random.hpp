#pragma once
#include "tensor.hpp"

namespace tapehead {

/// The purpose for which random numbers are drawn. Each purpose has an independent sequence.
enum class Draw : std::uint32_t { dropout, weights, batch, sample, test };

/// The key of a sequence of random numbers. Equal keys give equal numbers on every machine and
/// thread, in any order of draws. Checkpoints save no generator state, because there is none.
struct RandomKey {
  std::uint64_t seed = 0;
  Draw draw = Draw::test;
  std::uint32_t step = 0;     ///< training step
  std::uint32_t site = 0;     ///< index of the layer or parameter, below 2^24
  std::uint32_t example = 0;  ///< index of the example in the whole batch
};

/// Writes words `first` to `first + n - 1` of the sequence to `out`, 32 random bits each. `first`
/// must be a multiple of 4.
void random_bits(const RandomKey& key, Index first, Index n, std::uint32_t* out);

/// A generator that returns the numbers of a key's sequence in order.
class Random {
 public:
  explicit Random(const RandomKey& key) : key_(key) {}
  std::uint32_t bits();  ///< 32 random bits
  Index below(Index n);  ///< uniform over 0, ..., n - 1; n is at most 2^32
  double uniform();      ///< uniform over [0, 1), with 53 random bits
  double normal();       ///< normal with mean 0 and standard deviation 1

 private:
  RandomKey key_;
  Index next_ = 0;
  std::array<std::uint32_t, 4> block_{};
};

/// Draws from a normal distribution with mean 0 and standard deviation 1.
Tensor random_normal(const Shape& shape, const RandomKey& key, DType dtype = DType::f32);
/// Draws uniformly from [low, high).
Tensor random_uniform(const Shape& shape, double low, double high, const RandomKey& key,
                      DType dtype = DType::f32);

}  // namespace tapehead
