#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "../plural.hpp"

#include <cmath>

namespace tapehead {

Tensor rotary(const Tensor& x, Index heads, Index width, Index first, double base, bool back) {
  check_present("rotary", x);
  const double least = static_cast<double>(heads) * static_cast<double>(width);  // no overflow
  if (x.rank() != 3 || heads < 0 || width < 0 || least > static_cast<double>(x.dim(2)))
    throw ShapeError("rotary: x {} with {} of width {}; expected (batch, time, at least {})",
                     x.shape(), plural(heads, "head"), width, least);
  if (width % 2 != 0) throw ValueError("rotary: width is {}, expected an even number", width);
  if (!(base > 0 && std::isfinite(base)))
    throw ValueError("rotary: base is {}, expected a finite number above 0", base);
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  with_floats("rotary", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    kernels<T>().rotary({x.dim(0), x.dim(1), x.dim(2), heads, width, first, base, back},
                        x.data<T>(), y.mutable_data<T>());
  });
  return record(
      {"rotary",
       {{"heads", heads}, {"width", width}, {"first", first}, {"base", base}, {"back", back}}},
      y, {x},
      [=](const Tensor& dy) { return Grads{rotary(dy, heads, width, first, base, !back)}; });
}

}  // namespace tapehead
