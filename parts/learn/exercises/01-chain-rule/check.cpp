// Compares your gradients with the library's gradients.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

Tensor known_line(const std::vector<Tensor>& in) {  // in = {w, x, b, t}
  const Tensor error = in[0] * in[1] + in[2] - in[3];
  return error * error;
}
Tensor known_neuron(const std::vector<Tensor>& in) {
  const Tensor error = tanh(in[0] * in[1] + in[2]) - in[3];
  return error * error;
}

void check(learn::Check& c) {
  const auto compare = [&](Line (*mine)(double, double, double, double), const Function& known) {
    for (int i = 0; i < 3; ++i) {
      const std::vector<double> n = c.normal({4}).values(), slopes = c.slopes(known, n);
      const Line d = mine(n[0], n[1], n[2], n[3]);
      c.equal("dw", d.dw, slopes[0]);
      c.equal("db", d.db, slopes[2]);
    }
  };
  c.part("by hand", [&] {
    const double w = learn::given(101), x = learn::given(102), b = learn::given(103),
                 t = learn::given(104);
    const std::vector<double> slopes = c.slopes(known_line, {w, x, b, t});
    const ByHand mine = by_hand();
    c.by_hand("u", mine.u, w * x);
    c.by_hand("y", mine.y, w * x + b, mine.u + b);
    c.by_hand("L", mine.L, (w * x + b - t) * (w * x + b - t), (mine.y - t) * (mine.y - t));
    c.by_hand("dy", mine.dy, slopes[2], 2 * (mine.y - t));  // db equals dy
    c.by_hand("du", mine.du, slopes[2], mine.dy);
    c.by_hand("dw", mine.dw, slopes[0], mine.du * x);
    c.by_hand("dx", mine.dx, slopes[1], mine.du * w);
    c.by_hand("db", mine.db, slopes[2], mine.dy);
  });
  c.part("line", [&] { compare(line, known_line); });
  c.part("neuron", [&] { compare(neuron, known_neuron); });
}
