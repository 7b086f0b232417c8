// A line search: L-BFGS (Nocedal, "Updating quasi-Newton matrices with limited storage", 1980)
// evaluates the loss of the same batch again until its step is good enough.
//   $ ./mine train copy --length 4 --symbols 8 --optimizer lbfgs --fixed-batch true --batch 256
//       --steps 40 --lr 0.1 --clip 0 --dtype f64 --eval-every 10 --out run &&
//       tail -1 run/metrics.jsonl | grep -E '"loss":[0-9.]+e-(0[7-9]|[1-9][0-9])'
//   $ ./mine train copy --length 4 --symbols 8 --optimizer lbfgs --fixed-batch true --batch 256
//       --steps 10 --lr 0.1 --clip 0 --dtype f64 --freeze 'tokens*' --out frozen
//   $ ./mine train --resume run --steps 41 --change steps | grep "resumed at step 40"
#include <tapehead/cli.hpp>

using namespace tapehead;

struct LBFGS : Optimizer {
  static constexpr Index memory = 10;
  static Index moments(const Parameter&) { return 2 * memory + 2; }
  LBFGS(const TrainConfig&, Module& model) : Optimizer(model), x0(point() * 0), g0(x0 + 0) {
    s = zeros({memory, x0.size()}, x0.dtype()), y = s + 0;
  }
  static Tensor row(const Tensor& all, Index i) { return slice(all, 0, i, i + 1); }
  static Tensor pushed(const Tensor& all, const Tensor& x) {  // drops the first row, appends x
    return concat({slice(all, 0, 1, memory), reshape(x, {1, x.size()})}, 0);
  }
  static double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item(); }
  void apply(const Gradients& gradients, const StepLoss& loss) override {
    const Tensor x = point(), g = gradient_of(gradients);
    if (steps > 1) s = pushed(s, x - x0), y = pushed(y, g - g0);
    x0 = x + 0, g0 = g + 0;
    Tensor d = -g;
    double a[memory], curved[memory];
    for (Index i = memory; i-- > 0;)
      if ((curved[i] = dot(row(s, i), row(y, i))) > 0)
        d = d - row(y, i) * (a[i] = dot(row(s, i), d) / curved[i]);
    const Tensor newest = row(y, memory - 1);
    if (curved[memory - 1] > 0) d = d * (curved[memory - 1] / dot(newest, newest));
    for (Index i = 0; i < memory; ++i)
      if (curved[i] > 0) d = d + row(s, i) * (a[i] - dot(row(y, i), d) / curved[i]);
    for (double t = steps > 1 ? 1 : lr, least = t / 1e6; t > least; t /= 2) {
      move_to(x + reshape(d, x.shape()) * t);
      if (loss.again().first <= loss.value + 1e-4 * t * dot(g, d)) return;
    }
    move_to(x);
  }
  std::vector<State> state() override { return {{"x", &x0}, {"g", &g0}, {"s", &s}, {"y", &y}}; }
  Tensor x0, g0, s, y;  // x0, g0 (parameters); s, y (memory, parameters)
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.optimizer<LBFGS>("lbfgs", "limited-memory BFGS, for a fixed batch");
  return run(argc, argv, registry);
}
