// A loss with derivatives with respect to the network's input. The network learns a damped spring,
// u'' + 0.4 u' + u = 0 with u(0) = 1 and u'(0) = 0. It learns from the equation alone, without
// values of the solution (Raissi, Perdikaris and Karniadakis, "Physics-informed neural networks",
// 2019).
#include <tapehead/tapehead.hpp>

#include "expect.hpp"

#include <cmath>

using namespace tapehead;

struct Spring : Module {
  Tensor forward(const Tensor& t, Pass& pass) const override {
    return out(tanh(inner(tanh(in(t, pass)), pass)), pass);  // (times, 1) -> same
  }
  void visit(Visitor& v) override {
    v("in", in);
    v("inner", inner);
    v("out", out);
  }

  // The initial weights are large enough for tanh to be nonlinear over the range of t.
  Linear in{1, 32, {true, Init::normal(1)}}, inner{32, 32, {true, Init::normal(0.3)}}, out{32, 1};
};

int main() {
  Spring spring;
  initialise(spring, /*seed=*/1);
  const auto u = [&](const Tensor& t) {
    Pass pass;
    return spring(t, pass);
  };
  // Each u(t) depends only on its t, so a jvp along ones gives the derivative at every t.
  const auto slope = [](const Function& f, const Tensor& t) {
    return jvp(f, {t}, {ones(t.shape())}).second;
  };
  const auto du = [&](const Tensor& t) { return slope(u, t); };

  const Index times = 64;
  const Tensor start = zeros({1, 1});
  const Tensor t = reshape(arange(times, DType::f32) * (8.0 / (times - 1)), {times, 1});
  AdamW adam(spring, {.lr = 0.003, .weight_decay = 0});
  for (int step = 0; step <= 3000; ++step) {
    Tape tape;
    const Tensor residual = slope(du, t) + du(t) * 0.4 + u(t);  // (times, 1)
    const Tensor loss =
        mean(residual * residual) + mse(u(start), ones({1, 1})) + mse(du(start), zeros({1, 1}));
    adam.lr = step < 2000 ? 0.003 : 0.0005;
    adam.step(tape.backward(loss));
    if (step % 1000 == 0) fmt::print("step {:4}  loss {:.6f}\n", step, loss.item());
  }

  const double w = std::sqrt(1 - 0.04);
  const Tensor solution = exp(t * -0.2) * (cos(t * w) + sin(t * w) * (0.2 / w));
  const double worst = amax(abs(u(t) - solution)).item();
  fmt::print("at most {:.4f} from the solution\n", worst);
  expect(worst < 0.02, "the equation alone gives the solution");
}
