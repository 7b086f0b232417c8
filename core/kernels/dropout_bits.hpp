#pragma once
// Which elements dropout keeps: a bit each, which backward reads again.
#include "../random.hpp"
#include "simd.hpp"

#include <cmath>

namespace tapehead {

/// What dropout does to elements of one sequence: each has 16 random bits of its own, so that p
/// counts to a multiple of 2^-16; `scale` makes up for what is dropped, by that share.
class DropoutDraw {
 public:
  explicit DropoutDraw(double p)
      : dropped_(static_cast<std::uint32_t>(std::lround(p * 0x1p16))),
        scale_(dropped_ < 0x10000 ? 1 / (1 - dropped_ * 0x1p-16) : 0) {}
  double scale() const { return scale_; }

  /// Bit i % 32 of kept[i / 32] is set where element first + i of the sequence stays, for i < n and
  /// to the end of the last word; `first` must divide by 8.
  void operator()(const RandomKey& key, Index first, Index n, std::uint32_t* kept) const;

 private:
  std::uint32_t dropped_;
  double scale_;
};

/// The words of a tensor of bits, i32; null where there is none.
inline std::uint32_t* mutable_bits(Tensor& kept) {
  return kept ? reinterpret_cast<std::uint32_t*>(kept.mutable_data<std::int32_t>()) : nullptr;
}
inline const std::uint32_t* bits_of(const Tensor& kept) {
  return kept ? reinterpret_cast<const std::uint32_t*>(kept.data<std::int32_t>()) : nullptr;
}

/// scale * x in the lanes whose bits are set, the lowest bit the first lane's; 0 in the others,
/// whatever x is there.
template <class T>
Vec<T> keep(std::uint32_t bits, const Vec<T>& scale, const Vec<T>& x) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  alignas(64) static constexpr auto own = [] {
    std::array<Word, Vec<T>::size> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = Word{1} << i;
    return all;
  }();
  const auto stays = (Vec<Word>(bits) & Vec<Word>::load_aligned(own.data())) != Vec<Word>(Word{0});
  const auto scaled = xsimd::bitwise_cast<Vec<Word>>(scale * x);
  return xsimd::bitwise_cast<Vec<T>>(xsimd::select(stays, scaled, Vec<Word>(Word{0})));
}

/// y = x times the scale where its bit is set, and 0 elsewhere: n elements in all, of so many
/// examples, whose bits begin with a word each.
template <class T>
void keep_rows(const std::uint32_t* bits, Index examples, Index n, double scale, const T* x, T* y);

}  // namespace tapehead
