// What your work is compared with: the tape's own gradients.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

/// L = (tanh(w x + b) - t)^2 by the library.
tapehead::Tensor known_neuron(const std::vector<tapehead::Tensor>& in) {  // w, x, b, t
  const tapehead::Tensor error = tapehead::tanh(in[0] * in[1] + in[2]) - in[3];
  return error * error;
}

void check(learn::Check& c) {
  using learn::given;
  c.part("by hand", [&] {
    const double w = given(101), x = given(102), b = given(103), t = given(104);
    const ByHand mine = by_hand();
    c.by_hand("u", mine.u, w * x);
    c.by_hand("y", mine.y, w * x + b);
    c.by_hand("L", mine.L, std::pow(w * x + b - t, 2));
    c.by_hand("dL/dy", mine.dy, 2 * (w * x + b - t));
    c.by_hand("dL/du", mine.du, 2 * (w * x + b - t));
    c.by_hand("dL/dw", mine.dw, 2 * (w * x + b - t) * x);
    c.by_hand("dL/dx", mine.dx, 2 * (w * x + b - t) * w);
    c.by_hand("dL/db", mine.db, 2 * (w * x + b - t));
  });
  c.part("line", [&] {
    for (int i = 0; i < 3; ++i) {
      const std::vector<double> n = c.normal({4}).values();
      const Line d = line(n[0], n[1], n[2], n[3]);
      const double error = n[0] * n[1] + n[2] - n[3];
      c.equal("dw", d.dw, 2 * error * n[1]);
      c.equal("db", d.db, 2 * error);
    }
  });
  c.part("neuron", [&] {
    for (int i = 0; i < 3; ++i) {
      std::vector<tapehead::Tensor> in;
      for (int k = 0; k < 4; ++k) in.push_back(c.normal({}));
      tapehead::Tape tape;
      for (const auto& x : in) tape.watch(x);
      const tapehead::Gradients grads = tape.backward(known_neuron(in));
      const Line d = neuron(in[0].item(), in[1].item(), in[2].item(), in[3].item());
      c.equal("dw", d.dw, grads[in[0]].item());
      c.equal("db", d.db, grads[in[2]].item());
    }
  });
}
