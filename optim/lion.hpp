#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// Options of Lion (Chen et al., "Symbolic Discovery of Optimization Algorithms"). It moves every
/// element by +-lr, with decoupled weight decay for parameters with `decay` set:
///   p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p), then m = beta2 m + (1 - beta2) g
/// Compared with AdamW, use a learning rate 3 to 10 times smaller and a decay 3 to 10 times larger.
struct LionOptions {
  double lr = 1e-4, beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
  void options(Fields& f) {
    f("beta1", beta1, Range::fraction(), "weight of the momentum in the update");
    f("beta2", beta2, Range::fraction(), "decay rate of the momentum");
    f("weight-decay", weight_decay, Range::not_negative(),
      "weight decay, except of biases and norms");
  }
};
/// The optimizer Lion; see LionOptions.
class Lion : public Optimizer {
 public:
  explicit Lion(ParameterList all, const LionOptions& options = {});
  std::vector<State> state() override;
  /// Returns the number of state tensors for a parameter.
  static Index moments(const Parameter&) { return 1; }
  static const char* exempt(const std::string& option, const Parameter& p) {
    return decay_exemption(option, p);
  }

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  LionOptions options_;
  std::vector<Tensor> momentum_;
};

}  // namespace tapehead
