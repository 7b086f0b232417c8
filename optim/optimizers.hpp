#pragma once
#include <tapehead/optim/optimizer.hpp>

namespace tapehead {

/// velocity = momentum velocity + gradient; parameter -= lr velocity. Decay adds to the gradient.
struct SGDOptions {
  double lr = 1e-2, momentum = 0, weight_decay = 0;
};
class SGD : public Optimizer {
 public:
  explicit SGD(std::vector<Parameter*> all, const SGDOptions& options = {});
  /// For all of a model's: what `parameters(model)` lists.
  template <class Model>
  explicit SGD(Model& model, const SGDOptions& options = {}) : SGD(parameters(model), options) {}
  std::vector<State> state() override;

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  SGDOptions options_;
  std::vector<Tensor> velocity_;
};

/// Adam with decay apart from the gradient (Loshchilov and Hutter), where a parameter asks for it:
///   m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
///   p -= lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay p)
struct AdamWOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
};
class AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<Parameter*> all, const AdamWOptions& options = {});
  /// For all of a model's: what `parameters(model)` lists.
  template <class Model>
  explicit AdamW(Model& model, const AdamWOptions& options = {})
      : AdamW(parameters(model), options) {}
  std::vector<State> state() override;

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  AdamWOptions options_;
  std::vector<Tensor> first_, second_;
};

}  // namespace tapehead
