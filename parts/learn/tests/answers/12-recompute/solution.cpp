#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double a, b, c, d;
};
ByHand by_hand() {
  ByHand n{};
  n.a = 16;
  n.b = 4;
  n.c = 8;
  n.d = 32;
  return n;
}

using Network = std::function<Tensor(const Tensor& x, Pass& pass)>;

Tensor recomputed(const Network& f, const Tensor& x, Pass& pass) {
  const Pass before = pass;
  Tensor y;
  {
    const Pause pause;
    y = f(x.detached(), pass);
  }
  return record("recomputed", y, {x}, [=](const Tensor& dy) {
    Pass again = before;
    const Tensor kept = x.detached();
    Tape tape;
    tape.watch(kept);
    const Tensor same = f(kept, again);
    return Grads{tape.backward(same, dy)[kept]};
  });
}
