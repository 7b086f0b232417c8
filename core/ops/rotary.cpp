#include "../kernels/simd.hpp"
#include "../ops.hpp"

#include <cmath>

namespace tapehead {
namespace {

/// Cosines of every place and pair, (time, half), then sines. Layer after layer asks for the same
/// ones: each thread keeps its last.
template <class T>
const T* turns(Index time, Index half, Index first, double base) {
  struct Table {
    Index time = -1, half = 0, first = 0;
    double base = 0;
    std::vector<T> values;
  };
  thread_local Table table;
  if (table.time == time && table.half == half && table.first == first && table.base == base)
    return table.values.data();
  table = {time, half, first, base, std::vector<T>(static_cast<std::size_t>(2 * time * half))};
  T *cosine = table.values.data(), *sine = cosine + time * half;
  for (Index t = 0; t < time; ++t)
    for (Index i = 0; i < half; ++i) {
      const double exponent = -static_cast<double>(i) / static_cast<double>(half);
      const double angle = static_cast<double>(first + t) * std::pow(base, exponent);
      *cosine++ = static_cast<T>(std::cos(angle));
      *sine++ = static_cast<T>(std::sin(angle));
    }
  return table.values.data();
}

}  // namespace

Tensor rotary(const Tensor& x, Index heads, Index width, Index first, double base, bool back) {
  if (x.rank() != 3 || heads < 0 || width < 0 || heads * width > x.dim(2))
    throw ShapeError("rotary: {} with {} heads of width {}; expected (batch, time, at least {})",
                     x.shape(), heads, width, heads * width);
  if (width % 2 != 0) throw ValueError("rotary: a head's width {} must be even", width);
  if (!(base > 0 && std::isfinite(base))) throw ValueError("rotary: base {} must be above 0", base);
  const Index time = x.dim(1), columns = x.dim(2), half = width / 2;
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float("rotary", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = x.data<T>();
    T* out = y.mutable_data<T>();
    const T* const table = turns<T>(time, half, first, base);
    const Vec<T> sign(back ? T{-1} : T{1});
    for (Index b = 0; b < x.dim(0); ++b)
      for (Index t = 0; t < time; ++t, in += columns, out += columns) {
        const T *const c = table + t * half, *const s = c + time * half;
        for (Index h = 0; h < heads; ++h) {
          const T *const u = in + h * width, *const v = u + half;
          T* const turned = out + h * width;
          map_row(
              turned, half,
              [&](auto a, auto o, auto cosine, auto sine) {
                return a * cosine - o * (sign * sine);
              },
              u, v, c, s);
          map_row(
              turned + half, half,
              [&](auto a, auto o, auto cosine, auto sine) {
                return o * cosine + a * (sign * sine);
              },
              u, v, c, s);
        }
        std::copy(in + heads * width, in + columns, out + heads * width);
      }
  });
  return record("rotary", y, {x}, [=](const Tensor& dy) {
    return Grads{rotary(dy, heads, width, first, base, !back)};
  });
}

}  // namespace tapehead
