#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// Options of SGD with momentum: v = momentum v + g, p -= lr v. For parameters p with `decay` set,
/// weight_decay p is added to the gradient g first.
struct SGDOptions {
  double lr = 1e-2, momentum = 0, weight_decay = 0;
  void options(Fields& f) {
    f("momentum", momentum, Range::fraction(),
      "momentum: fraction of the velocity that each step keeps");
    f("weight-decay", weight_decay, Range::not_negative(),
      "weight decay, except of biases and norms");
  }
};
class SGD : public Optimizer {
 public:
  explicit SGD(ParameterList all, const SGDOptions& options = {});
  std::vector<State> state() override;
  /// Returns the number of state tensors for a parameter.
  static Index moments(const Parameter&) { return 1; }
  static const char* exempt(const std::string& option, const Parameter& p) {
    return decay_exemption(option, p);
  }

 private:
  /// Updates parameter i. `factor`, from clipping, scales the gradient.
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  SGDOptions options_;
  std::vector<Tensor> velocity_;
};

}  // namespace tapehead
