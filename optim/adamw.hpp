#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// Adam with decay apart from the gradient (Loshchilov and Hutter), where a parameter asks for it:
///   m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
///   p -= lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay p)
struct AdamWOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
  void options(Fields& f) {
    f("beta1", beta1, Range::fraction(), "decay of the mean gradient");
    f("beta2", beta2, Range::fraction(), "decay of the mean squared gradient");
    f("eps", epsilon, Range::positive(), "added to the root of the mean squared gradient");
    f("weight-decay", weight_decay, Range::not_negative(),
      "decay towards zero; not of biases and norms");
  }
};
class AdamW : public Optimizer {
 public:
  explicit AdamW(ParameterList all, const AdamWOptions& options = {});
  std::vector<State> state() override;
  /// How many tensors of its size the state has for a parameter.
  static Index moments(const Parameter&) { return 2; }
  static const char* exempt(const std::string& option, const Parameter& p) {
    return decay_exemption(option, p);
  }

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  AdamWOptions options_;
  std::vector<Tensor> first_, second_;
};

/// Step t, counted from 1, of the formula above on one parameter: g is factor * gradient.
void adamw_step(Parameter& parameter, Tensor& first, Tensor& second, const Tensor& gradient,
                double factor, Index t, const AdamWOptions& options);
/// Throws ValueError that names `optimizer` and the option that can't be.
void check_adamw(const char* optimizer, const AdamWOptions& options);

}  // namespace tapehead
