#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// Every element moves by lr, up or down (Chen et al., "Symbolic Discovery of Optimization
/// Algorithms"). Decay is apart from the gradient, where a parameter asks for it:
///   p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p), then m = beta2 m + (1 - beta2) g
/// Its learning rate is a third to a tenth of AdamW's, and its decay three to ten times as large.
struct LionOptions {
  double lr = 1e-4, beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
  void options(Fields& f) {
    f("beta1", beta1, Range::fraction(), "decay of the mean gradient");
    f("beta2", beta2, Range::fraction(), "decay of the mean squared gradient");
    f("weight-decay", weight_decay, Range::not_negative(),
      "decay towards zero; not of biases and norms");
  }
};
class Lion : public Optimizer {
 public:
  explicit Lion(ParameterList all, const LionOptions& options = {});
  std::vector<State> state() override;
  /// How many tensors of its size the state has for a parameter.
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
