#pragma once
#include "../core/parameter.hpp"

#include <utility>
#include <vector>

namespace tapehead {

/// What an optimizer trains: parameters, or all those of a model. They have been initialised.
struct Trained : std::vector<Parameter*> {
  using vector::vector;
  Trained(vector all) : vector(std::move(all)) {}
  /// All parameters of a model. `parameters` is nn's, found by the model's type where this is used:
  /// optim includes nothing of nn.
  template <class Model, class = decltype(parameters(std::declval<Model&>()))>
  Trained(Model& model) : vector(parameters(model)) {}
};

/// Changes parameters by their gradients. They must stay where they are: an optimizer is made after
/// the model is complete. A frozen one, or one without a gradient, keeps its value.
class Optimizer {
 public:
  explicit Optimizer(Trained all);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One step. The kernel multiplies the gradients by their factor() as it reads them. Throws
  /// TapeError if a parameter isn't where it was, or if all that have a gradient are frozen.
  void step(const Gradients& gradients);

  double lr = 1e-3;  ///< learning rate: a schedule sets it before each step
  Index steps = 0;   ///< taken so far

  /// What a checkpoint keeps besides `steps`: each moment, by a name such as
  /// "first.blocks.0.attention.qkv.weight".
  struct State {
    std::string name;
    Tensor* tensor;
  };
  virtual std::vector<State> state() = 0;

 protected:
  /// Updates parameter i. Called for different i from several threads at once.
  virtual void update(std::size_t i, const Tensor& gradient, double factor) = 0;
  const std::vector<Parameter*>& trained() const { return trained_; }

 private:
  Trained trained_;
  std::vector<std::weak_ptr<void>> there_;  // expired: that parameter was destroyed
};

}  // namespace tapehead
