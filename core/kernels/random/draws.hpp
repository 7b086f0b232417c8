#pragma once
// Random words and dropout masks. A mask has one bit for each element; backward reuses the mask.
#include "../../numerics.hpp"
#include "../../random.hpp"

#include <array>
#include <cmath>

namespace tapehead {

constexpr std::uint32_t philox_multiplier_a = 0xD2511F53, philox_multiplier_b = 0xCD9E8D57;
constexpr std::uint32_t philox_weyl_a = 0x9E3779B9, philox_weyl_b = 0xBB67AE85;

/// Computes Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1,
/// 2, 3").
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// Draws n blocks of a key's sequence of random words. `blocks` contains the numbers of the blocks.
/// Block i consists of the words 4 i to 4 i + 3 of the sequence, with 32 random bits each.
void random_blocks(const RandomKey& key, const std::uint32_t* blocks, Index n, std::uint32_t* out);

/// Draws dropout masks with the drop probability p. Each element uses 16 random bits of a key's
/// sequence, so p is rounded to a multiple of 2^-16. `scale` is 1 / (1 - p) for the rounded p, or 0
/// if all elements are dropped.
class DropoutDraw {
 public:
  explicit DropoutDraw(double p)
      : dropped_(static_cast<std::uint32_t>(std::lround(p * 0x1p16))),
        scale_(dropped_ < 0x10000 ? 1 / (1 - dropped_ * 0x1p-16) : 0) {}
  double scale() const { return scale_; }

  /// Sets bit i % 32 of kept[i / 32] if element first + i of the sequence is kept, for i < n.
  /// `first` must be a multiple of 8.
  void operator()(const RandomKey& key, Index first, Index n, std::uint32_t* kept) const {
    rows(key, first, 0, 1, n, kept);
  }
  /// Draws n elements of each row. Row r begins at element first + r * stride of the sequence, and
  /// its bits begin at bit r * row_bits(n) of `kept`. `first` and `stride` must be multiples of 8.
  void rows(const RandomKey& key, Index first, Index stride, Index rows, Index n,
            std::uint32_t* kept) const;
  static constexpr Index row_bits(Index n) { return (n + 7) / 8 * 8; }

 private:
  std::uint32_t dropped_;
  double scale_;
};

/// Returns the element of the random sequence that decides whether the attention weight of a query,
/// head and key is dropped. The element doesn't depend on the numbers of queries and keys, which
/// padding changes. So the dropout mask doesn't depend on how a batch is split.
inline Index weight_element(Index query, Index head, Index heads, Index key) {
  return (query * heads + head) * pinned::most_weight_keys + key;
}

/// Return a pointer to the elements of an i32 tensor that contains bits, or null for a null tensor.
inline std::uint32_t* mutable_bits(Tensor& kept) {
  return kept ? reinterpret_cast<std::uint32_t*>(kept.mutable_data<std::int32_t>()) : nullptr;
}
inline const std::uint32_t* bits_of(const Tensor& kept) {
  return kept ? reinterpret_cast<const std::uint32_t*>(kept.data<std::int32_t>()) : nullptr;
}

}  // namespace tapehead
