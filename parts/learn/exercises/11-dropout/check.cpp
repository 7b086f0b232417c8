// Compares your op with the library's dropout for the same random key.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

void check(learn::Check& c) {
  const RandomKey key{learn::student, Draw::dropout, 3, 1};
  const double p = 0.25;
  const auto mine = [=](bool training) {
    return [=](const std::vector<Tensor>& in) { return my_dropout(in[0], p, key, training); };
  };
  c.part("by hand", [&] {
    const ByHand n = by_hand();
    c.by_hand("y0", n.y0, learn::given(1101) / 0.8);
    c.by_hand("y1", n.y1, 0);
    c.by_hand("dx0", n.dx0, learn::given(1103) / 0.8);
    c.by_hand("dx1", n.dx1, 0);
    c.by_hand("mean_of_y0", n.mean_of_y0, learn::given(1101), 0.8 * n.y0);
  });
  c.part("values", [&] {
    const Tensor x = c.normal({4, 8});
    c.equal("y", my_dropout(x, p, key, true), dropout(x, p, key), 1e-6, "p is 0.25");
  });
  c.part("gradient", [&] {
    const Tensor some_zero = concat({zeros({1, 8}, DType::f64), c.normal({3, 8})}, 0);
    c.gradients(
        {"x"}, mine(true), [=](const auto& in) { return dropout(in[0], p, key); }, {some_zero},
        "p is 0.25, and row 0 of x is 0");
  });
  c.part("evaluation", [&] {
    const Tensor x = c.normal({4, 8});
    c.equal("y", my_dropout(x, p, key, false), x);
    c.gradients({"x"}, mine(false), [](const auto& in) { return in[0] * 1; }, {x});
  });
}
