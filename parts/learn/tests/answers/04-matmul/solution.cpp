#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double y0, y1;
  double da00, da01, da10, da11;
  double db0, db1;
};
ByHand by_hand() {
  using learn::whole;
  const double a00 = whole(401), a01 = whole(402), a10 = whole(403), a11 = whole(404);
  const double b0 = whole(405), b1 = whole(406), dy0 = whole(407), dy1 = whole(408);
  ByHand n{};
  n.y0 = a00 * b0 + a01 * b1;
  n.y1 = a10 * b0 + a11 * b1;
  n.da00 = dy0 * b0;
  n.da01 = dy0 * b1;
  n.da10 = dy1 * b0;
  n.da11 = dy1 * b1;
  n.db0 = a00 * dy0 + a10 * dy1;
  n.db1 = a01 * dy0 + a11 * dy1;
  return n;
}

Tensor my_matmul(const Tensor& a, const Tensor& b) {
  const Tensor y = matmul(a.detached(), b.detached());
  return record("my_matmul", y, {a, b}, [=](const Tensor& dy) {
    const Tensor da = matmul(dy, transpose(b));
    const Tensor db = matmul(transpose(a), dy);
    return Grads{da, db};
  });
}

Tensor my_linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  const Tensor y = matmul(x.detached(), transpose(w.detached())) + b.detached();
  return record("my_linear", y, {x, w, b}, [=](const Tensor& dy) {
    const Tensor dx = matmul(dy, w);
    const Tensor dw = matmul(transpose(dy), x);
    const Tensor db = sum(dy, {0});
    return Grads{dx, dw, db};
  });
}
