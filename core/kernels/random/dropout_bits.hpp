#pragma once
// Which elements dropout keeps: one bit each, which backward reads again.
#include "../../random.hpp"

#include <cmath>

namespace tapehead {

/// Draws what dropout keeps of the elements of one sequence. Each element has 16 random bits of its
/// own, so that p is rounded to a multiple of 2^-16; `scale` is 1 / (1 - p) for this p, or 0 if all
/// is dropped.
class DropoutDraw {
 public:
  explicit DropoutDraw(double p)
      : dropped_(static_cast<std::uint32_t>(std::lround(p * 0x1p16))),
        scale_(dropped_ < 0x10000 ? 1 / (1 - dropped_ * 0x1p-16) : 0) {}
  double scale() const { return scale_; }

  /// Sets bit i % 32 of kept[i / 32] if element first + i of the sequence is kept, for i < n and to
  /// the end of the last word; `first` must be a multiple of 8.
  void operator()(const RandomKey& key, Index first, Index n, std::uint32_t* kept) const;

 private:
  std::uint32_t dropped_;
  double scale_;
};

/// The words of an i32 tensor of bits; null for a null tensor.
inline std::uint32_t* mutable_bits(Tensor& kept) {
  return kept ? reinterpret_cast<std::uint32_t*>(kept.mutable_data<std::int32_t>()) : nullptr;
}
inline const std::uint32_t* bits_of(const Tensor& kept) {
  return kept ? reinterpret_cast<const std::uint32_t*>(kept.data<std::int32_t>()) : nullptr;
}

}  // namespace tapehead
