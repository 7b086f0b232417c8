#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// velocity = momentum * velocity + gradient; parameter -= lr * velocity. If a parameter decays,
/// weight_decay * parameter is added to its gradient first.
struct SGDOptions {
  double lr = 1e-2, momentum = 0, weight_decay = 0;
  void options(Fields& f) {
    f("momentum", momentum, Range::fraction(), "fraction of the velocity that each step keeps");
    f("weight-decay", weight_decay, Range::not_negative(),
      "decay towards zero; not of biases and norms");
  }
};
class SGD : public Optimizer {
 public:
  explicit SGD(ParameterList all, const SGDOptions& options = {});
  std::vector<State> state() override;
  /// Returns how many tensors of its size the state has for a parameter.
  static Index moments(const Parameter&) { return 1; }
  static const char* exempt(const std::string& option, const Parameter& p) {
    return decay_exemption(option, p);
  }

 private:
  /// Optimizer::step calls this for each parameter i. `factor`, from clipping, scales the gradient.
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  SGDOptions options_;
  std::vector<Tensor> velocity_;
};

}  // namespace tapehead
