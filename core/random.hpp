#pragma once
#include <tapehead/core/tensor.hpp>

#include <cmath>

namespace tapehead {

/// What random numbers are drawn for. Each purpose has numbers of its own.
enum class Draw : std::uint32_t { dropout, weights, batch, sample, test };

/// Names one sequence of random numbers. Equal keys give equal numbers on every machine, in every
/// thread, in any order of asking: nothing is stored between draws, and nothing has to be saved.
struct RandomKey {
  std::uint64_t seed = 0;
  Draw draw = Draw::test;
  std::uint32_t step = 0;     ///< of training
  std::uint32_t site = 0;     ///< which layer or parameter asks, below 2^24
  std::uint32_t example = 0;  ///< row of the whole batch
};

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3").
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// Words `first` to `first + n - 1` of the sequence, 32 random bits each; `first` must divide by 4.
void random_bits(const RandomKey& key, Index first, Index n, std::uint32_t* out);

/// What dropout does to elements of one sequence: each has 16 random bits of its own, so that p
/// counts to a multiple of 2^-16; `scale` makes up for what is dropped, by that share.
class DropoutDraw {
 public:
  explicit DropoutDraw(double p)
      : dropped_(static_cast<std::uint32_t>(std::lround(p * 0x1p16))),
        scale_(dropped_ < 0x10000 ? 1 / (1 - dropped_ * 0x1p-16) : 0) {}
  double scale() const { return scale_; }

  /// keep[i] = scale where element first + i of the sequence stays, 0 where it is dropped.
  void operator()(const RandomKey& key, Index first, Index n, float* keep) const;
  void operator()(const RandomKey& key, Index first, Index n, double* keep) const;

 private:
  std::uint32_t dropped_;
  double scale_;
};

/// The sequence read in order.
class Random {
 public:
  explicit Random(const RandomKey& key) : key_(key) {}
  std::uint32_t bits();
  Index below(Index n);  ///< uniform over 0 to n - 1, n at most 2^32
  double uniform();      ///< uniform over [0, 1), 53 bits
  double normal();       ///< mean 0, standard deviation 1

 private:
  RandomKey key_;
  Index next_ = 0;
  std::array<std::uint32_t, 4> block_{};
};

Tensor random_normal(const Shape& shape, const RandomKey& key, DType dtype = DType::f32);
/// Over [low, high).
Tensor random_uniform(const Shape& shape, double low, double high, const RandomKey& key,
                      DType dtype = DType::f32);

}  // namespace tapehead
