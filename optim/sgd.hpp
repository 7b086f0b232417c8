#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// velocity = momentum velocity + gradient; parameter -= lr velocity. Where a parameter decays,
/// weight_decay * parameter is added to the gradient.
struct SGDOptions {
  double lr = 1e-2, momentum = 0, weight_decay = 0;
};
class SGD : public Optimizer {
 public:
  explicit SGD(Trained all, const SGDOptions& options = {});
  std::vector<State> state() override;
  /// How many tensors of its size the state has for a parameter.
  static Index moments(const Parameter&) { return 1; }

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  SGDOptions options_;
  std::vector<Tensor> velocity_;
};

}  // namespace tapehead
