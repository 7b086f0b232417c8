#include "pass.hpp"

namespace tapehead {

Tensor Pass::replaced(const Point& point, const Tensor& x) const {
  Tensor y = hook(point, x);
  if (!y || y.shape() != x.shape() || y.dtype() != x.dtype())
    throw ShapeError("{} of {}: {} {} can't take the place of {} {}", point.name, point.module,
                     y ? to_string(y.dtype()) : "nothing", y ? y.shape() : Shape(),
                     to_string(x.dtype()), x.shape());
  return y;
}

}  // namespace tapehead
