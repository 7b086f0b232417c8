#pragma once
#include "optimizer.hpp"

namespace tapehead {

/// Options of Adam with decoupled weight decay (Loshchilov and Hutter):
///   m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
///   p -= lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay p)
/// Weight decay applies to parameters with `decay` set.
struct AdamWOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
  void options(Fields& f) {
    f("beta1", beta1, Range::fraction(), "decay rate of the mean gradient");
    f("beta2", beta2, Range::fraction(), "decay rate of the mean squared gradient");
    f("eps", epsilon, Range::positive(), "constant added to the root of the mean squared gradient");
    f("weight-decay", weight_decay, Range::not_negative(),
      "weight decay, except of biases and norms");
  }
};
/// The optimizer AdamW; see AdamWOptions.
class AdamW : public Optimizer {
 public:
  explicit AdamW(ParameterList all, const AdamWOptions& options = {});
  std::vector<State> state() override;
  /// Returns the number of state tensors for a parameter.
  static Index moments(const Parameter&) { return 2; }
  static const char* exempt(const std::string& option, const Parameter& p) {
    return decay_exemption(option, p);
  }

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  AdamWOptions options_;
  std::vector<Tensor> first_, second_;
};

/// Updates one parameter at step t, counted from 1. The g of the formula is factor * gradient.
void adamw_step(Parameter& parameter, Tensor& first, Tensor& second, const Tensor& gradient,
                double factor, Index t, const AdamWOptions& options);
/// Throws a ValueError that names `optimizer` and the invalid option.
void check_adamw(const char* optimizer, const AdamWOptions& options);

}  // namespace tapehead
