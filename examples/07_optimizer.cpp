// Your own optimizer: AdaGrad, with an option of its own. A run saves its state, so that one that
// was stopped goes on to the same bits (`07_optimizer train copy --optimizer adagrad --lr 0.05`).
#include "expect.hpp"
#include "runs.hpp"

using namespace tapehead;

/// s += g^2, p -= lr g / sqrt(s), where s begins with `start` (Duchi, Hazan and Singer, "Adaptive
/// Subgradient Methods").
struct AdaGrad : Optimizer {
  AdaGrad(Module& model, double start) : Optimizer(parameters(model)) {
    for (const Parameter* p : trained()) sums.push_back(full(p->shape, start, p->dtype));
  }
  std::vector<State> state() override {
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

  std::vector<Tensor> sums;  // one of each parameter's shape
};

struct AdaGradOptions {
  double start = 0.1;
  void options(Fields& f) { f("start", start, Range::positive(), "first sum of squares"); }
};

int main(int argc, char** argv) {
  Registry registry = everything();
  const auto make = [](const TrainConfig& config, Module& model) {
    return std::make_unique<AdaGrad>(model, config.own.as<AdaGradOptions>().start);
  };
  const auto moments = [](const Parameter&) { return Index{1}; };  // tensors of its size
  const auto own = options_of<AdaGradOptions>();
  registry.optimizer({"adagrad", "steps shrink as gradients add up", {make, moments}, {}, own});
  if (argc > 1) return run(argc, argv, registry);

  const Folder folder;
  const std::string line =
      "train copy --length 4 --symbols 8 --optimizer adagrad --lr 0.05 --schedule constant --out ";
  const std::string whole = folder.path + "/whole", parts = folder.path + "/parts";
  expect(command(line + whole + " --steps 150", registry) == 0, "it trains");
  expect(command(line + parts + " --steps 70", registry) == 0, "it trains, for less long");
  expect(command("train --resume " + parts + " --steps 150 --change steps", registry) == 0,
         "and goes on from there");
  expect(last_metrics(whole).find("\"exact_match\":1.0") != std::string::npos, "it learns to copy");
  expect(last_metrics(whole) == last_metrics(parts), "both come to the same bits");
}
