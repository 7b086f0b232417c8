// An optimizer that trains and evaluates different values: schedule-free AdamW (Defazio et al.,
// "The Road Less Scheduled", 2024). A resumed run ends bitwise identical to an uninterrupted one.
//   $ ./mine train copy --length 6 --symbols 8 --optimizer schedule-free --schedule constant
//       --steps 200 --out whole | grep "exact match 100"
//   $ ./mine train copy --length 6 --symbols 8 --optimizer schedule-free --schedule constant
//       --steps 90 --out parts
//   $ ./mine train --resume parts --steps 200 --change steps
//   $ ./mine compare whole parts
#include <tapehead/cli.hpp>

using namespace tapehead;

struct ScheduleFreeOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.99;
  void options(Fields& f) {
    f("beta1", beta1, Range::fraction(), "weight of the mean where the gradients are taken");
    f("beta2", beta2, Range::fraction(), "decay of the mean squared gradient");
  }
};

struct ScheduleFree : Optimizer {
  static Index moments(const Parameter&) { return 3; }  // z, x and v
  ScheduleFree(Module& model, const ScheduleFreeOptions& o)
      : Optimizer(model), b1(o.beta1), b2(o.beta2) {
    z = point() + 0, x = z + 0, v = z * 0;
  }
  void apply(const Gradients& gradients, const StepLoss&) override {
    const Tensor g = gradient_of(gradients);
    const double t = double(steps);
    v = v * b2 + g * g * (1 - b2);
    z = z - g / (sqrt(v / (1 - std::pow(b2, t))) + 1e-8) * lr;
    x = x * (1 - 1 / t) + z * (1 / t);
    move_to(z * (1 - b1) + x * b1);
  }
  void exchange() override {  // swaps y, which is trained, and x, which is evaluated
    const Tensor y = point();
    move_to(x);
    x = y;
  }
  std::vector<State> state() override { return {{"z", &z}, {"x", &x}, {"v", &v}}; }
  double b1, b2;
  Tensor z, x, v;  // each of shape (parameters)
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.optimizer<ScheduleFree>("schedule-free", "AdamW without a schedule",
                                   ScheduleFreeOptions());
  return run(argc, argv, registry);
}
