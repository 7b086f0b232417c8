// A custom optimizer, `--optimizer adagrad`, with an option. A run saves the optimizer's state, so
// that a resumed run ends bitwise identical to an uninterrupted one.
//   $ ./mine train copy --optimizer adagrad --steps 20 --eval-every 0
#include <tapehead/cli.hpp>

using namespace tapehead;

struct AdagradSettings {  // an option is a field and a line in options()
  double start = 0.1;
  void options(Fields& f) { f("start", start, Range::positive(), "first sum of squares"); }
};

/// Adagrad: s += g^2, p -= lr g / sqrt(s), where s starts at `start` (Duchi, Hazan and Singer,
/// "Adaptive Subgradient Methods").
struct AdagradUpdate : Optimizer {
  AdagradUpdate(const TrainConfig& config, Module& model) : Optimizer(parameters(model)) {
    const double start = config.own.as<AdagradSettings>().start;
    for (const Parameter* p : trained()) sums.push_back(full(p->shape, start, p->dtype));
  }
  std::vector<State> state() override {  // saved in checkpoints
    std::vector<State> all;
    for (std::size_t i = 0; i < sums.size(); ++i)
      all.push_back({"sum." + trained()[i]->path, &sums[i]});
    return all;
  }
  void update(std::size_t i, const Tensor& gradient, double factor) override {
    Parameter& p = *trained()[i];
    const Tensor g = factor * gradient;
    sums[i] = sums[i] + g * g;
    p.set(p.value() - lr * g / sqrt(sums[i]));
  }
  static Index moments(const Parameter&) { return 1; }  // state tensors per parameter

  std::vector<Tensor> sums;  // one per parameter, of the same shape
};

int main(int argc, char** argv) {
  Registry registry = make_registry();
  registry.optimizer<AdagradUpdate, AdagradSettings>("adagrad", "steps shrink as gradients add up");
  return run(argc, argv, registry);
}
