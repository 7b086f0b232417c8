// Compares your ops with the library's matmul and linear.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

void check(learn::Check& c) {
  c.part("by hand", [&] {
    using learn::whole;
    const Tensor a = tensor({whole(401), whole(402), whole(403), whole(404)}, {2, 2}, DType::f64);
    const Tensor b = tensor({whole(405), whole(406)}, {2, 1}, DType::f64);
    const Tensor dy = tensor({whole(407), whole(408)}, {2, 1}, DType::f64);
    Tape tape;
    tape.watch(a, b);
    const Tensor y = matmul(a, b);
    const Gradients grads = tape.backward(y, dy);
    const Tensor da = grads[a], db = grads[b];
    const ByHand mine = by_hand();
    c.by_hand("y0", mine.y0, y(0));
    c.by_hand("y1", mine.y1, y(1));
    c.by_hand("da00", mine.da00, da(0));
    c.by_hand("da01", mine.da01, da(1));
    c.by_hand("da10", mine.da10, da(2));
    c.by_hand("da11", mine.da11, da(3));
    c.by_hand("db0", mine.db0, db(0));
    c.by_hand("db1", mine.db1, db(1));
  });
  c.part("gradient", [&] {
    const auto mine = [](const std::vector<Tensor>& in) { return my_matmul(in[0], in[1]); };
    const auto known = [](const std::vector<Tensor>& in) { return matmul(in[0], in[1]); };
    c.gradients({"a", "b"}, mine, known, {c.normal({2, 3}), c.normal({3, 4})});
    c.gradients({"a", "b"}, mine, known, {c.normal({3, 3}), c.normal({3, 3})});
    c.gradients({"a", "b"}, mine, known, {c.normal({2, 2, 3}), c.normal({2, 3, 4})},
                "in a batch of two");
  });
  c.part("linear", [&] {
    const auto mine = [](const std::vector<Tensor>& in) { return my_linear(in[0], in[1], in[2]); };
    const auto known = [](const std::vector<Tensor>& in) { return linear(in[0], in[1], in[2]); };
    for (const Index out : {2, 3})
      c.gradients({"x", "w", "b"}, mine, known,
                  {c.normal({4, 3}), c.normal({out, 3}), c.normal({out})});
  });
}
