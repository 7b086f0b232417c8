#include "../../core/kernels/kernels.hpp"
#include "mixers.hpp"

#include <algorithm>
#include <vector>

namespace tapehead::zoo {
namespace {

/// The loops of a convolution of x (batch, time + reach - 1, width), whose first tokens precede
/// the tokens of the result.
struct Taps {
  Index batch, time, reach, width;

  /// Calls f(token of y, w, token of x), as offsets of rows, for each term of the sums.
  template <class F>
  void each(const F& f) const {
    for (Index b = 0; b < batch; ++b)
      for (Index t = 0; t < time; ++t)
        for (Index back = 0; back < reach; ++back)
          f((b * time + t) * width, back * width,
            (b * (time + reach - 1) + t + reach - 1 - back) * width);
  }
  /// Computes sum += a b for a row. `product` is memory for a row.
  template <class T>
  void add_product(T* sum, const T* a, const T* b, T* product) const {
    kernels<T>().mul(product, width, a, 1, b, 1);
    kernels<T>().add(sum, width, sum, 1, product, 1);
  }
};

Tensor convolve_by_slices(const Taps& taps, const Tensor& x, const Tensor& weight,
                          const Tensor& bias) {
  Tensor y = bias;
  for (Index back = 0; back < taps.reach; ++back) {
    const Index first = taps.reach - 1 - back;
    y = y + slice(x, 1, first, first + taps.time) * slice(weight, 0, back, back + 1);
  }
  return y;
}

/// Computes the convolution as one op, because slices and products of each tap take several times
/// as long.
Tensor convolve(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Index reach = weight.dim(0);
  const Taps taps{x.dim(0), x.dim(1) - reach + 1, reach, weight.dim(1)};
  Tensor y = Tensor::empty(x.shape().with(1, taps.time), x.dtype());
  with_floats("short_convolution", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> product(taps.width);
    T* const to = y.mutable_data<T>();
    for (Index row = 0; row < y.size(); row += taps.width)
      std::copy_n(bias.data<T>(), taps.width, to + row);
    taps.each([&](Index out, Index w, Index in) {
      taps.add_product(to + out, x.data<T>() + in, weight.data<T>() + w, product.data());
    });
  });
  const auto backward = [=](const Tensor& dy) {
    Tensor dx = zeros(x.shape(), x.dtype()), dweight = zeros(weight.shape(), x.dtype());
    with_floats("short_convolution", x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      std::vector<T> product(taps.width);
      T *const to_x = dx.mutable_data<T>(), *const to_weight = dweight.mutable_data<T>();
      taps.each([&](Index out, Index w, Index in) {
        const T* const d = dy.data<T>() + out;
        taps.add_product(to_x + in, d, weight.data<T>() + w, product.data());
        taps.add_product(to_weight + w, d, x.data<T>() + in, product.data());
      });
    });
    return Grads{dx, dweight, dy};  // the tape sums dy over all rows
  };
  return record("short_convolution", y, {x, weight, bias}, backward,
                [=] { return convolve_by_slices(taps, x, weight, bias); });
}

}  // namespace

ShortConvolution::ShortConvolution(Index width)
    : weight({reach, width}, Init::uniform(0.5), false),  // 1 / sqrt(reach), as in PyTorch
      bias({width}, Init::constant(0), false) {}

Tensor ShortConvolution::forward(const Tensor& given, Pass& pass) const {
  Tensor x = given;
  if (const Tensor& mask = pass.key_mask())
    x = x * reshape(cast(mask, x.dtype()), {mask.dim(0), mask.dim(1), 1});
  Tensor* const kept = pass.cache ? &pass.cache->state<Tensor>(this) : nullptr;
  const Tensor all = kept && *kept ? concat({*kept, x}, 1) : pad(x, 1, reach - 1, 0);
  if (kept) *kept = slice(all, 1, x.dim(1), x.dim(1) + reach - 1);
  return convolve(all, weight, bias);
}

ConvolvedLinear::ConvolvedLinear(const AttentionLayerOptions& o, Index out)
    : Linear(o.width, out, {o.in_bias, o.in_init}), convolution(out) {}

Tensor ConvolvedLinear::forward(const Tensor& x, Pass& pass) const {
  return silu(convolution(Linear::forward(x, pass), pass));
}

}  // namespace tapehead::zoo
