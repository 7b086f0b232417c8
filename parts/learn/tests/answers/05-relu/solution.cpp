#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double dx0, dx1, dx2;
};
ByHand by_hand() {
  ByHand n{};
  n.dx0 = learn::given(504);
  n.dx1 = 0;
  n.dx2 = learn::given(506);
  return n;
}

Tensor positive(const Tensor& x) { return cast(x > 0, x.dtype()); }

Tensor my_relu(const Tensor& x) {
  const Tensor y = x.detached() * positive(x);
  return record("my_relu", y, {x}, [=](const Tensor& dy) { return Grads{dy * positive(x)}; });
}

double central_difference(const std::function<double(double)>& f, double x, double h) {
  return (f(x + h) - f(x - h)) / (2 * h);
}

Tensor my_maximum(const Tensor& a, const Tensor& b) {
  const Tensor y = maximum(a.detached(), b.detached());
  return record("my_maximum", y, {a, b}, [=](const Tensor& dy) {
    const Tensor half = dy * cast(equal(a, b), a.dtype()) * 0.5;
    const Tensor da = dy * positive(a - b) + half;
    const Tensor db = dy * positive(b - a) + half;
    return Grads{da, db};
  });
}
