#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// velocity = momentum velocity + gradient; parameter -= lr velocity. Decay adds to the gradient.
struct SGDOptions {
  double lr = 1e-2, momentum = 0, weight_decay = 0;
};
class SGD : public Optimizer {
 public:
  explicit SGD(std::vector<Parameter*> all, const SGDOptions& options = {});
  /// For all of a model's parameters, which must have been initialised.
  template <class Model>
  explicit SGD(Model& model, const SGDOptions& options = {}) : SGD(parameters(model), options) {}
  std::vector<State> state() override;
  /// How many tensors of its size the state has for a parameter.
  static Index moments(const Parameter&) { return 1; }

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  SGDOptions options_;
  std::vector<Tensor> velocity_;
};

}  // namespace tapehead
