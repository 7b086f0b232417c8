#include "../kernels/kernels.hpp"
#include "../kernels/random/dropout_bits.hpp"
#include "../ops.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// (examples, words): the elements of each example begin a new word.
Tensor bits_for(const DropoutDraw& draw, Index examples, Index n, RandomKey key) {
  const Index words = (n + 31) / 32;
  Tensor kept = Tensor::empty({examples, words}, DType::i32);
  if (Outline::is_alive()) return kept;
  std::uint32_t* to = mutable_bits(kept);
  for (Index example = 0; example < examples; ++example, ++key.example, to += words)
    draw(key, 0, n, to);
  return kept;
}

/// scale * x where the bit is set, and 0 elsewhere.
Tensor masked(const Tensor& x, const Tensor& kept, double scale) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float("dropout", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels<T>().keep(bits_of(kept), kept.dim(0), x.size(), scale, x.data<T>(),
                      y.mutable_data<T>());
  });
  return record("dropout", y, {x},
                [=](const Tensor& dy) { return Grads{masked(dy, kept, scale)}; });
}

}  // namespace

Tensor dropout(const Tensor& x, double p, const RandomKey& key) {
  check_present("dropout", x);
  if (!(p >= 0 && p <= 1))
    throw ValueError("dropout: p is {}, and a probability lies in [0, 1]", p);
  if (p == 0) return x;
  const Index examples = x.rank() > 0 ? x.dim(0) : 1;
  const DropoutDraw draw(p);
  return masked(x, bits_for(draw, examples, x.size() / std::max(examples, Index{1}), key),
                draw.scale());
}

}  // namespace tapehead
