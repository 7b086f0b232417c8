#include "../kernels/kernels.hpp"
#include "../kernels/random/draws.hpp"
#include "attention_plan.hpp"
#include "families.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Draws a dropout mask for n elements of each example: bits in i32 words, (examples, words).
Tensor bits_for(const DropoutDraw& draw, Index examples, Index n, RandomKey key) {
  const Index words = (n + 31) / 32;
  Tensor kept = Tensor::empty({examples, words}, DType::i32);
  if (MetaTensors::is_alive()) return kept;
  std::uint32_t* to = mutable_bits(kept);
  for (Index example = 0; example < examples; ++example, ++key.example, to += words)
    draw(key, 0, n, to);
  return kept;
}

/// Draws a dropout mask for attention weights of this shape, with the random numbers of the kernel.
Tensor bits_for_weights(const DropoutDraw& draw, const Shape& shape, RandomKey key) {
  const Index heads = shape[1], queries = shape[2], keys = shape[3];
  const Index words = (heads * queries * keys + 31) / 32;
  Tensor kept = zeros({shape[0], words}, DType::i32);
  if (MetaTensors::is_alive()) return kept;
  std::uint32_t* to = mutable_bits(kept);
  std::vector<std::uint32_t> row((keys + 31) / 32);
  for (Index example = 0; example < shape[0]; ++example, ++key.example, to += words)
    for (Index head = 0, bit = 0; head < heads; ++head)
      for (Index query = 0; query < queries; ++query) {
        draw(key, weight_element(query, head, heads, 0), keys, row.data());
        for (Index j = 0; j < keys; ++j, ++bit)
          to[bit / 32] |= (row[j / 32] >> j % 32 & 1) << bit % 32;
      }
  return kept;
}

/// Records and returns scale * x where the bit of `kept` is set, and 0 elsewhere. `kept` was drawn
/// with `p` and `key`.
Tensor masked(const Tensor& x, const Tensor& kept, double scale, double p, const RandomKey& key) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  with_floats("dropout", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels<T>().keep(bits_of(kept), kept.dim(0), x.size(), scale, x.data<T>(),
                      y.mutable_data<T>());
  });
  return record({"dropout", {{"p", p}, {"seed", static_cast<Index>(key.seed)}}}, y, {x},
                [=](const Tensor& dy) { return Grads{masked(dy, kept, scale, p, key)}; });
}

DropoutDraw checked_draw(double p) {
  if (!(p >= 0 && p <= 1))
    throw ValueError("dropout: p is {}, expected a probability in [0, 1]", p);
  return DropoutDraw(p);
}

}  // namespace

Tensor dropout_weights(const Tensor& weights, double p, const RandomKey& key) {
  const DropoutDraw draw = checked_draw(p);
  if (p == 0) return weights;
  return masked(weights, bits_for_weights(draw, weights.shape(), key), draw.scale(), p, key);
}

Tensor dropout(const Tensor& x, double p, const RandomKey& key) {
  check_present("dropout", x);
  const DropoutDraw draw = checked_draw(p);
  if (p == 0) return x;
  const Index examples = x.rank() > 0 ? x.dim(0) : 1;
  return masked(x, bits_for(draw, examples, x.size() / std::max(examples, Index{1}), key),
                draw.scale(), p, key);
}

std::vector<Op> dropout_ops() {
  return {{"dropout",
           "y = x / (1 - p), or 0 with probability p",
           {"dx = dy / (1 - p), or 0 where x was dropped"},
           [](const Tensor& x, double p, Index seed) {
             return dropout(x, p, {static_cast<std::uint64_t>(seed), Draw::test, 1, 1});
           },
           {"x", "p", {"seed", 1}}}};
}

}  // namespace tapehead
