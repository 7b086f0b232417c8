// Exercise 4: matrix multiplication. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: a = [[@w401@, @w402@], [@w403@, @w404@]], b = [[@w405@], [@w406@]],
//      dy = [[@w407@], [@w408@]]
struct ByHand {
  double y0, y1;
  double da00, da01, da10, da11;
  double db0, db1;
};
ByHand by_hand() {
  ByHand n{};
  n.y0 = todo;
  n.y1 = todo;
  n.da00 = todo;
  n.da01 = todo;
  n.da10 = todo;
  n.da11 = todo;
  n.db0 = todo;
  n.db1 = todo;
  return n;
}

// ---- gradient: a (..., m, k), b (..., k, n) -> (..., m, n)
Tensor my_matmul(const Tensor& a, const Tensor& b) {
  const Tensor y = matmul(a.detached(), b.detached());
  return record("my_matmul", y, {a, b}, [=](const Tensor& dy) {
    const Tensor da = todo;
    const Tensor db = todo;
    return Grads{da, db};
  });
}

// ---- linear: x (rows, in), w (out, in), b (out) -> (rows, out)
Tensor my_linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  const Tensor y = matmul(x.detached(), transpose(w.detached())) + b.detached();
  return record("my_linear", y, {x, w, b}, [=](const Tensor& dy) {
    const Tensor dx = todo;
    const Tensor dw = todo;
    const Tensor db = todo;
    return Grads{dx, dw, db};
  });
}
