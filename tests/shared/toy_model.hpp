#pragma once
// A model and an optimizer with simple values, to test code that saves them.
#include "../../nn/parameters.hpp"
#include "../../optim/optimizer.hpp"

namespace tapehead {

struct ToyModel : Module {
  explicit ToyModel(double value = 0, Index width = 3, DType dtype = DType::f32)
      : weight({2, width}, Init::constant(value), true),
        scale({}, Init::constant(value), false),
        empty({0, width}, Init::constant(value), true) {
    initialise(*this, 0, dtype);
    scale.trainable = false;
  }
  Tensor forward(const Tensor& x, Pass&) const override { return x; }
  void visit(Visitor& v) override { v("weight", weight), v("scale", scale), v("empty", empty); }

  Parameter weight, scale, empty;
};

struct ToyOptimizer : Optimizer {
  explicit ToyOptimizer(Module& model, double value = 0) : Optimizer(parameters(model)) {
    for (const Parameter* p : trained())
      moments.push_back(full(p->shape, value, p->value().dtype()));
  }
  std::vector<State> state() override {
    std::vector<State> states;
    for (std::size_t i = 0; i < moments.size(); ++i)
      states.push_back({"moment." + trained()[i]->path, &moments[i]});
    return states;
  }
  void update(std::size_t, const Tensor&, double) override {}

  std::vector<Tensor> moments;
};

/// Returns whether all values of both equal `value`.
inline bool all_are(ToyModel& model, ToyOptimizer& optimizer, double value) {
  const auto are = [&](const Tensor& x) {
    for (double element : x.values())
      if (element != value) return false;
    return true;
  };
  for (const Parameter* p : parameters(model))
    if (!are(p->value())) return false;
  for (const Tensor& moment : optimizer.moments)
    if (!are(moment)) return false;
  return true;
}

}  // namespace tapehead
