#include <tapehead/core/ops.hpp>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// y = x / (1 - p) where the word drawn for an element is above `dropped`, 0 elsewhere.
template <class T>
void dropout_row(T* y, const T* x, Index n, std::uint32_t dropped, T factor, const RandomKey& key) {
  constexpr Index block = 1024;
  std::uint32_t words[block];
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    random_bits(key, first, count, words);
    for (Index i = 0; i < count; ++i)
      y[first + i] = words[i] > dropped ? x[first + i] * factor : T{0};
  }
}

}  // namespace

Tensor dropout(const Tensor& x, double p, const RandomKey& key) {
  if (!(p >= 0 && p <= 1))
    throw ValueError("dropout: p is {}, and a probability lies in [0, 1]", p);
  if (p == 0) return x;
  const std::uint32_t dropped = last_word(p);
  const Index examples = x.rank() > 0 ? x.dim(0) : 1;
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float("dropout", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index n = x.size() / std::max(examples, Index{1});
    for (Index row = 0; row < examples; ++row) {
      RandomKey drawn = key;
      drawn.example += static_cast<std::uint32_t>(row);
      dropout_row(y.fresh<T>() + row * n, x.data<T>() + row * n, n, dropped,
                  static_cast<T>(1 / (1 - p)), drawn);
    }
  });
  // Nothing is stored: equal keys drop the same elements of dy, or of dx, again.
  return record("dropout", y, {x}, [=](const Tensor& dy) { return Grads{dropout(dy, p, key)}; });
}

}  // namespace tapehead
