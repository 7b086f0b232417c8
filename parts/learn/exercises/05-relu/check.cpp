// Compares your ops with the library's relu and maximum.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

void check(learn::Check& c) {
  const auto mine = [](const std::vector<Tensor>& in) { return my_relu(in[0]); };
  const auto known = [](const std::vector<Tensor>& in) { return relu(in[0]); };
  c.part("by hand", [&] {
    const Tensor x = tensor({learn::size(501), -learn::size(502), learn::size(503)}, DType::f64);
    const Tensor dy = tensor({learn::given(504), learn::given(505), learn::given(506)}, DType::f64);
    Tape tape;
    tape.watch(x);
    const Tensor dx = tape.backward(relu(x), dy)[x];
    const ByHand n = by_hand();
    c.by_hand("dx0", n.dx0, dx(0));
    c.by_hand("dx1", n.dx1, dx(1));
    c.by_hand("dx2", n.dx2, dx(2));
  });
  c.part("relu", [&] {
    const Tensor x = c.normal({4, 5});
    c.equal("y", my_relu(x), relu(x));
    c.gradients({"x"}, mine, known, {x});
  });
  c.part("kink", [&] {
    c.gradients({"x"}, mine, known, {tensor({0, 1, -1, 0}, DType::f64)}, "x is (0, 1, -1, 0)");
    const double x = learn::given(507);
    const auto cube = [](double at) { return at * at * at; };
    const auto kink = [](double at) { return at > 0 ? at : 0; };
    c.equal(fmt::format("the difference of x^3 at {:.1f}, h = 0.1,", x),
            central_difference(cube, x, 0.1), 3 * x * x + 0.1 * 0.1);
    c.equal("the difference of relu at 0", central_difference(kink, 0, 1e-3), 0.5);
  });
  c.part("maximum", [&] {
    const auto mine_of_two = [](const std::vector<Tensor>& in) { return my_maximum(in[0], in[1]); };
    const auto known_of_two = [](const std::vector<Tensor>& in) { return maximum(in[0], in[1]); };
    c.gradients({"a", "b"}, mine_of_two, known_of_two, {c.normal({3, 3}), c.normal({3, 3})});
    c.gradients({"a", "b"}, mine_of_two, known_of_two,
                {tensor({1, 2, 3}, DType::f64), tensor({1, 1, 4}, DType::f64)},
                "a is (1, 2, 3) and b (1, 1, 4): the first two are equal");
  });
}
