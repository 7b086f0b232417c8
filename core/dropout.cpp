#include <tapehead/core/ops.hpp>
#include <tapehead/core/simd.hpp>

#include <algorithm>

namespace tapehead {
namespace {

/// y = x where an element stays, scaled, and 0 elsewhere, whatever x is there.
template <class T>
void dropout_row(T* y, const T* x, Index n, const DropoutDraw& draw, const RandomKey& key) {
  draw(key, 0, n, y);
  const Vec<T> none(T{0});
  map_row(
      y, n, [&](auto keep, auto v) { return xsimd::select(keep == none, none, keep * v); },
      static_cast<const T*>(y), x);
}

}  // namespace

Tensor dropout(const Tensor& x, double p, const RandomKey& key) {
  if (!(p >= 0 && p <= 1))
    throw ValueError("dropout: p is {}, and a probability lies in [0, 1]", p);
  if (p == 0) return x;
  const DropoutDraw draw(p);
  const Index examples = x.rank() > 0 ? x.dim(0) : 1;
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float("dropout", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Index n = x.size() / std::max(examples, Index{1});
    const T* in = x.data<T>();
    T* out = y.fresh<T>();
    RandomKey drawn = key;
    for (Index row = 0; row < examples; ++row, ++drawn.example, in += n, out += n)
      dropout_row(out, in, n, draw, drawn);
  });
  // Nothing is stored: equal keys drop the same elements of dy, or of dx, again.
  return record("dropout", y, {x}, [=](const Tensor& dy) { return Grads{dropout(dy, p, key)}; });
}

}  // namespace tapehead
