// Compares your steps with the steps of the library's AdamW without weight decay.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

/// A parameter that the library's optimizer updates.
struct Known {
  Known(const Tensor& start, double epsilon)
      : parameter(start.shape(), Init::constant(0), false),
        options{0.1, 0.9, 0.99, epsilon, 0},
        first(zeros(start.shape(), DType::f64)),
        second(zeros(start.shape(), DType::f64)) {
    parameter.initialise({}, DType::f64);
    parameter.set(start + 0.0);
  }
  Tensor step(const Tensor& g) {
    adamw_step(parameter, first, second, g, 1, ++t, options);
    return parameter.value() + 0.0;
  }
  Parameter parameter;
  AdamWOptions options;
  Tensor first, second;
  Index t = 0;
};

void check(learn::Check& c) {
  c.part("by hand", [&] {
    const double g = learn::given(1301);
    Known known(scalar(0, DType::f64), 0);
    const double change = known.step(scalar(g, DType::f64)).item();
    const ByHand n = by_hand();
    c.by_hand("m", n.m, known.first.item());
    c.by_hand("v", n.v, known.second.item());
    c.by_hand("m'", n.m1, known.first.item() / (1 - 0.9), n.m / (1 - 0.9));
    c.by_hand("v'", n.v1, known.second.item() / (1 - 0.99), n.v / (1 - 0.99));
    c.by_hand("the change of p", n.change, change, -0.1 * n.m1 / std::sqrt(n.v1));
  });
  c.part("adam", [&] {
    const Tensor start = c.normal({2, 3});
    for (const double epsilon : {1e-8, 0.1}) {
      Known known(start, epsilon);
      Adam adam;
      adam.epsilon = epsilon;
      Tensor p = start;
      for (int step = 1; step <= 4; ++step) {
        const Tensor g = c.normal({2, 3});
        p = adam.step(p, g);
        c.equal(fmt::format("p after step {}, at", step), p, known.step(g), 1e-9,
                fmt::format("epsilon is {}", epsilon));
      }
    }
  });
  c.part("loop", [&] {
    const Tensor x = c.normal({8, 2}), target = matmul(x, c.normal({2, 1}));
    const int steps = 200;
    Tensor w = zeros({2, 1}, DType::f64), same = w;
    Known known(w, 1e-8);
    Adam adam;
    const std::vector<double> losses = train(w, x, target, adam, steps);
    c.equal("the number of losses", static_cast<double>(losses.size()), steps);
    for (int step = 0; step < steps; ++step) {
      Tape tape;
      tape.watch(same);
      const Tensor loss = mse(matmul(x, same), target);
      c.equal(fmt::format("the loss of step {} (from 0)", step),
              losses[static_cast<std::size_t>(step)], loss.item(), 1e-6);
      same = known.step(tape.backward(loss)[same]);
    }
    c.equal("w", w, same, 1e-6, "after the last step");
  });
}
