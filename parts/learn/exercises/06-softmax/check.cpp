// Compares your op with the library's softmax.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

void check(learn::Check& c) {
  c.part("by hand", [&] {
    const Tensor x = log(tensor({learn::size(601), learn::size(602)}, DType::f64));
    const Tensor dy = tensor({learn::given(603), learn::given(604)}, DType::f64);
    Tape tape;
    tape.watch(x);
    const Tensor y = softmax(x), dx = tape.backward(y, dy)[x];
    const ByHand n = by_hand();
    c.by_hand("y0", n.y0, y(0));
    const double s = dy(0) * n.y0 + dy(1) * n.y1;
    c.by_hand("y1", n.y1, y(1), 1 - n.y0);
    c.by_hand("dx0", n.dx0, dx(0), n.y0 * (dy(0) - s));
    c.by_hand("dx1", n.dx1, dx(1), n.y1 * (dy(1) - s));
  });
  c.part("values", [&] {
    for (const Shape& shape : {Shape{4}, Shape{2, 3}, Shape{2, 2, 3}}) {
      const Tensor x = c.normal(shape);
      c.equal("y", softmax_values(x), softmax(x));
    }
  });
  c.part("large scores", [&] {
    const Tensor x = tensor({1000, 1001, 999, -1000, -1001, -1002}, {2, 3}, DType::f64);
    c.equal("y", softmax_values(x), softmax(x), 1e-9,
            "the rows are (1000, 1001, 999) and (-1000, -1001, -1002)");
  });
  c.part("gradient", [&] {
    const auto mine = [](const std::vector<Tensor>& in) { return my_softmax(in[0]); };
    const auto known = [](const std::vector<Tensor>& in) { return softmax(in[0]); };
    c.gradients({"x"}, mine, known, {c.normal({4})});
    c.gradients({"x"}, mine, known, {c.normal({2, 3})}, "with two rows");
  });
}
