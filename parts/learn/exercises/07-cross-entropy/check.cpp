// Compares your loss with the library's cross-entropy.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

void check(learn::Check& c) {
  const Tensor targets = tensor({2, 0, 1, 2}, DType::i32), all = ones({4}, DType::f64);
  // Equivalent to the mask: the library ignores a target of -1.
  const Tensor some_targets = tensor({2, -1, 1, -1}, DType::i32);
  const Tensor some = tensor({1, 0, 1, 0}, DType::f64);
  c.part("by hand", [&] {
    const Tensor x = log(tensor({learn::size(701), learn::size(702)}, {1, 2}, DType::f64));
    Tape tape;
    tape.watch(x);
    const Tensor p = softmax(x), loss = cross_entropy(x, tensor({0}, DType::i32));
    const Tensor dx = tape.backward(loss)[x];
    const ByHand n = by_hand();
    c.by_hand("p0", n.p0, p(0));
    c.by_hand("p1", n.p1, p(1), 1 - n.p0);
    c.by_hand("loss", n.loss, loss.item(), -log(tensor({n.p0}, DType::f64)).item());
    c.by_hand("dx0", n.dx0, dx(0), n.p0 - 1);
    c.by_hand("dx1", n.dx1, dx(1), n.p1);
  });
  c.part("loss", [&] {
    for (int i = 0; i < 2; ++i) {
      const Tensor x = c.normal({4, 3});
      c.equal("the loss", loss_value(x, targets, all), cross_entropy(x, targets));
    }
  });
  c.part("large logits", [&] {
    const Tensor x = c.normal({4, 3}) * 1000;
    c.equal("the loss", loss_value(x, targets, all), cross_entropy(x, targets));
  });
  c.part("gradient", [&] {
    c.gradients(
        {"x"}, [&](const auto& in) { return my_cross_entropy(in[0], targets, all); },
        [&](const auto& in) { return cross_entropy(in[0], targets); }, {c.normal({4, 3})});
  });
  c.part("mask", [&] {
    const Tensor x = c.normal({4, 3});
    c.equal("the loss", loss_value(x, targets, some), cross_entropy(x, some_targets), 1e-9,
            "the mask is (1, 0, 1, 0)");
    c.gradients(
        {"x"}, [&](const auto& in) { return my_cross_entropy(in[0], targets, some); },
        [&](const auto& in) { return cross_entropy(in[0], some_targets); }, {x},
        "the mask is (1, 0, 1, 0)");
  });
}
