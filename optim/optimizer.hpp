#pragma once
#include "../core/fields.hpp"
#include "../core/parameter.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace tapehead {

/// The initialised parameters that an optimizer trains: a list, or all parameters of a model.
struct ParameterList : std::vector<Parameter*> {
  using vector::vector;
  ParameterList(vector all) : vector(std::move(all)) {}
  /// Lists all parameters of a model. Calls nn's function `parameters` by argument-dependent
  /// lookup, so that optim doesn't include nn.
  template <class Model, class = decltype(parameters(std::declval<Model&>()))>
  ParameterList(Model& model) : vector(parameters(model)) {}
};

/// The loss of a step, for optimizers that need more than its gradients. The functions use the
/// batch and dropout masks of the step, at the current values of the parameters.
struct StepLoss {
  double value = 0;  ///< the loss whose gradients were computed
  /// Computes the loss and its gradients again, clipped like the gradients of the step.
  std::function<std::pair<double, Gradients>()> again;
  /// Computes the Hessian of the loss times v. v has a tensor for each parameter of the model.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& v)> hvp;
};

/// The base class of optimizers, which update parameters by their gradients. Make the optimizer
/// after the model, because the parameters must not move in memory. Parameters that are frozen or
/// have no gradient keep their values.
class Optimizer {
 public:
  explicit Optimizer(ParameterList all);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Takes one step. Kernels multiply the gradients by factor() while they read them. Throws
  /// TapeError if a parameter has been destroyed or moved, or if none of the trainable parameters
  /// has a gradient. Only some optimizers need the loss.
  void step(const Gradients& gradients, const StepLoss& loss = {});

  /// Swaps the parameters' values with the values to evaluate, or back, without a copy. By default
  /// both are the same, so this does nothing.
  virtual void exchange() {}

  double lr = 1e-3;  ///< learning rate; a schedule sets it before each step
  Index steps = 0;   ///< number of steps taken

  /// A tensor of the optimizer's state that checkpoints store, with a name such as
  /// "first.blocks.0.attention.qkv.weight".
  struct State {
    std::string name;
    Tensor* tensor;
  };
  /// Returns all state tensors.
  virtual std::vector<State> state() = 0;

  // Information for the command line. A derived class replaces these static functions with its own.
  static Index moments(const Parameter&) { return 2; }  ///< number of state tensors per parameter
  /// Returns the reason why an option doesn't apply to parameters like this one, such as `none
  /// decays`. Returns null if the option applies.
  static const char* exempt(const std::string& /*option*/, const Parameter&) { return nullptr; }

 protected:
  /// Runs the whole step. Called on one thread. By default it calls `update` for each trainable
  /// parameter with a gradient, in parallel.
  virtual void apply(const Gradients& gradients, const StepLoss& loss);
  /// Updates parameter i. Called for different i from several threads at once.
  virtual void update(std::size_t i, const Tensor& gradient, double factor);
  /// Returns all parameters of the optimizer, including frozen ones. Frozen parameters have no
  /// gradient, and `apply` must not change them.
  const std::vector<Parameter*>& trained() const { return trained_; }

  // Functions for optimizers that treat all parameters as one vector.
  Tensor point() const;  ///< returns all values
  /// Returns the gradients, with zeros for parameters without a gradient.
  Tensor gradient_of(const Gradients& gradients) const;
  void move_to(const Tensor& point);  ///< sets the values of parameters that aren't frozen

 private:
  std::vector<Tensor> values() const;

  ParameterList trained_;
  std::vector<std::weak_ptr<void>> there_;  // expired if the parameter was destroyed
};

// ---- helpers for optimizers: option checks and state tensors

/// Throws ValueError if `value` isn't in [low, below).
void check_option(const char* optimizer, const char* name, double value, double low, double below);

/// Implements Optimizer::exempt for --weight-decay: parameters without `decay` are exempt.
const char* decay_exemption(const std::string& option, const Parameter& parameter);

/// Returns a tensor of zeros for each parameter, with its shape and type.
std::vector<Tensor> zeros_like(const std::vector<Parameter*>& parameters);

/// Returns the entries of Optimizer::state for one moment, such as "first.blocks.0.mlp.in.weight".
/// Skips parameters whose tensor is null.
std::vector<Optimizer::State> named_states(const char* moment,
                                           const std::vector<Parameter*>& parameters,
                                           std::vector<Tensor>& tensors);

}  // namespace tapehead
