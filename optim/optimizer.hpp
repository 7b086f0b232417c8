#pragma once
#include "../core/fields.hpp"
#include "../core/parameter.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace tapehead {

/// What an optimizer trains: parameters, or all those of a model. They have been initialised.
struct ParameterList : std::vector<Parameter*> {
  using vector::vector;
  ParameterList(vector all) : vector(std::move(all)) {}
  /// All parameters of a model. `parameters` is nn's, found by the model's type where this is used:
  /// optim includes nothing of nn.
  template <class Model, class = decltype(parameters(std::declval<Model&>()))>
  ParameterList(Model& model) : vector(parameters(model)) {}
};

/// What an optimizer may ask of a step's loss, besides its gradients. Both are of the same batch,
/// with the same dropout, at the values that the parameters have when they are called.
struct StepLoss {
  double value = 0;  ///< where the gradients are
  /// The loss, and its gradients, clipped as the step's are.
  std::function<std::pair<double, Gradients>()> again;
  /// The product of the loss's Hessian and v, which has a tensor for each parameter of the model.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& v)> hvp;
};

/// Changes parameters by their gradients. They must stay where they are: an optimizer is made after
/// the model is complete. A frozen one, or one without a gradient, keeps its value.
class Optimizer {
 public:
  explicit Optimizer(ParameterList all);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One step. The kernel multiplies the gradients by their factor() as it reads them. Throws
  /// TapeError if a parameter isn't where it was, or if all that have a gradient are frozen. Only
  /// some optimizers need the loss.
  void step(const Gradients& gradients, const StepLoss& loss = {});

  /// Exchanges the parameters' values with those that are to be evaluated, and back, without a
  /// copy. By default they are the same.
  virtual void exchange() {}

  double lr = 1e-3;  ///< learning rate: a schedule sets it before each step
  Index steps = 0;   ///< taken so far

  /// What a checkpoint keeps besides `steps`, of any shape: each moment, by a name such as
  /// "first.blocks.0.attention.qkv.weight".
  struct State {
    std::string name;
    Tensor* tensor;
  };
  virtual std::vector<State> state() = 0;

  // What a class says of itself to the command line, by members of the same names.
  static Index moments(const Parameter&) { return 2; }  ///< how many tensors of its size it keeps
  /// Returns why an option doesn't apply to a parameter, in words for several (`none decays`), or
  /// null if it applies.
  static const char* exempt(const std::string& /*option*/, const Parameter&) { return nullptr; }

 protected:
  /// The whole step, on one thread. By default it calls `update` for each parameter that is trained
  /// and has a gradient.
  virtual void apply(const Gradients& gradients, const StepLoss& loss);
  /// Updates parameter i. Called for different i from several threads at once.
  virtual void update(std::size_t i, const Tensor& gradient, double factor);
  /// All that it was made for. Frozen ones are among them, whose `trainable` is false: they have no
  /// gradient, and an `apply` leaves them as they are.
  const std::vector<Parameter*>& trained() const { return trained_; }

  // All of these as one vector, one after the other, for steps that are made of such.
  Tensor point() const;  ///< their values
  /// Zeros for those that have no gradient, as frozen ones.
  Tensor gradient_of(const Gradients& gradients) const;
  void move_to(const Tensor& point);  ///< sets the values of those that aren't frozen

 private:
  std::vector<Tensor> values() const;

  ParameterList trained_;
  std::vector<std::weak_ptr<void>> there_;  // expired: that parameter was destroyed
};

// ---- what optimizers keep of each parameter, and the checks of their options

/// Throws ValueError where `value` isn't in [low, below): `AdamW: beta2 is 1, and must be ...`.
void check_option(const char* optimizer, const char* name, double value, double low, double below);

/// Optimizer::exempt where a parameter's `decay` decides on --weight-decay.
const char* decay_exemption(const std::string& option, const Parameter& parameter);

/// A tensor of zeros of each parameter's shape and type.
std::vector<Tensor> zeros_like(const std::vector<Parameter*>& parameters);

/// One moment of all parameters, as Optimizer::state lists it: "first.blocks.0.mlp.in.weight".
/// Parameters that have none, no tensor, are left out.
std::vector<Optimizer::State> named_states(const char* moment,
                                           const std::vector<Parameter*>& parameters,
                                           std::vector<Tensor>& tensors);

}  // namespace tapehead
