// Compares your op with the library's layer norm.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

void check(learn::Check& c) {
  const double epsilon = 0.1;  // large, so that a misplaced epsilon is visible
  const auto known = [=](const std::vector<Tensor>& in) {
    return layer_norm(in[0], in[1], in[2], epsilon);
  };
  c.part("by hand", [&] {
    const double size = 2 * learn::size(801);
    const Tensor x = tensor({0, 0, size, size}, DType::f64);
    const Tensor dy = tensor({learn::given(802), 0, 0, 0}, DType::f64);
    Tape tape;
    tape.watch(x);
    const Tensor y = layer_norm(x, {}, {}, 0), dx = tape.backward(y, dy)[x];
    const ByHand mine = by_hand();
    const double low = mine.mean, high = size - mine.mean, d = dy(0);
    const auto slope = [&](double dn, double n) {
      return (dn - d / 4 - n * d * mine.n0 / 4) / mine.r;
    };
    c.by_hand("the mean", mine.mean, mean(x).item());
    c.by_hand("r", mine.r, sqrt(var(x)).item(), std::sqrt((low * low + high * high) / 2));
    c.by_hand("n0", mine.n0, y(0), -low / mine.r);
    c.by_hand("n3", mine.n3, y(3), high / mine.r);
    c.by_hand("dx0", mine.dx0, dx(0), slope(d, mine.n0));
    c.by_hand("dx1", mine.dx1, dx(1), slope(0, mine.n0));
    c.by_hand("dx2", mine.dx2, dx(2), slope(0, mine.n3));
    c.by_hand("dx3", mine.dx3, dx(3), slope(0, mine.n3));
  });
  c.part("values", [&] {
    const Tensor x = c.normal({3, 4}) * 2 + 1;
    const Tensor n = layer_norm(x, {}, {}, epsilon);
    const Tensor r = sqrt(var(x, {-1}, true) + scalar(epsilon, DType::f64));
    c.equal("r", root(x, epsilon), r, 1e-9, "epsilon is 0.1");
    c.equal("n", normalised(x, epsilon), n, 1e-9, "epsilon is 0.1");
  });
  const Tensor x = c.normal({3, 4}) * 2 + 1, gain = c.normal({4}), bias = c.normal({4});
  const Tensor n = layer_norm(x, {}, {}, epsilon), dy = c.normal({3, 4});
  Tape tape;
  tape.watch(x, gain, bias);
  const Gradients grads = tape.backward(known({x, gain, bias}), dy);
  c.part("gain and bias", [&] {
    c.equal("dgain", sum_to(gain_gradient(dy, n), gain.shape()), grads[gain]);
    c.equal("dbias", sum_to(bias_gradient(dy, n), bias.shape()), grads[bias]);
  });
  c.part("gradient", [&] {
    const Tensor r = sqrt(var(x, {-1}, true) + scalar(epsilon, DType::f64));
    c.equal("dx", input_gradient(dy * gain, n, r), grads[x]);
    c.gradients({"x", "gain", "bias"},
                [=](const auto& in) { return my_layer_norm(in[0], in[1], in[2], epsilon); }, known,
                {x, gain, bias});
  });
}
