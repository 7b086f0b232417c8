#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double ab, aa, y;
  double walks;
};
ByHand by_hand() {
  const double a = learn::given(1501), b = learn::given(1502);
  ByHand n{};
  n.ab = b + a * 2;
  n.aa = a + a;
  n.y = n.ab + n.aa;
  n.walks = 12;
  return n;
}

struct Dual {
  double value, tangent;
};
Dual sum(Dual a, Dual b) {
  const double tangent = a.tangent + b.tangent;
  return {a.value + b.value, tangent};
}
Dual product(Dual a, Dual b) {
  const double tangent = a.tangent * b.value + a.value * b.tangent;
  return {a.value * b.value, tangent};
}
Dual exponential(Dual a) {
  const double tangent = std::exp(a.value) * a.tangent;
  return {std::exp(a.value), tangent};
}

Tensor forward(const std::function<Tensor(const Tensor& x)>& f, const Tensor& x, const Tensor& w) {
  Tape tape;
  tape.watch(x);
  const Tensor y = f(x);
  const Tensor v = zeros(y.shape(), y.dtype());
  Tape second;
  second.watch(v);
  const Tensor dx = tape.backward(y, v)[x];
  return second.backward(tapehead::sum(dx * w))[v];
}
