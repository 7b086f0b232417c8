// Compares a checkpointed network with the same network without checkpointing.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

Tensor plain(const Tensor& x, Pass&) { return tanh(x * x + 1) * sigmoid(x); }
Tensor dropping(const Tensor& x, Pass& pass) {
  return dropout(tanh(x * x), 0.5, pass.next_key()) + dropout(x, 0.5, pass.next_key());
}

void check(learn::Check& c) {
  const Pass start = Pass::training(learn::student, 7);
  const auto mine = [=](const Network& f) {
    return [=](const std::vector<Tensor>& in) {
      Pass pass = start;
      return recomputed(f, in[0], pass);
    };
  };
  const auto known = [=](const Network& f) {
    return [=](const std::vector<Tensor>& in) {
      Pass pass = start;
      return f(in[0], pass);
    };
  };
  c.part("by hand", [&] {
    const double layers = 16, parts = 4, each = layers / parts;
    const ByHand n = by_hand();
    c.by_hand("a", n.a, layers);
    c.by_hand("b", n.b, parts);
    c.by_hand("c", n.c, parts + each, n.b + each);
    c.by_hand("d", n.d, 2 * layers);
  });
  c.part("values", [&] {
    const Tensor x = c.normal({3, 4});
    c.equal("y", mine(plain)({x}), known(plain)({x}));
    Pass pass = start, expected = start;
    recomputed(dropping, x, pass);
    dropping(x, expected);
    c.equal("the number of random keys taken from the Pass", pass.key.site, expected.key.site);
  });
  c.part("tape", [&] {
    const Tensor x = c.normal({3, 4});
    Tape tape;
    tape.watch(x);
    mine(plain)({x});
    c.equal("the number of steps on the tape, including x", static_cast<double>(tape.size()), 2);
  });
  c.part("gradients", [&] { c.gradients({"x"}, mine(plain), known(plain), {c.normal({3, 4})}); });
  c.part("dropout", [&] {
    c.gradients({"x"}, mine(dropping), known(dropping), {c.normal({3, 4})},
                "f drops twice with p = 0.5");
  });
}
