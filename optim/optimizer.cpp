#include "optimizer.hpp"
#include "../core/derivatives.hpp"
#include "../core/ops.hpp"
#include "../core/plural.hpp"
#include "../core/runtime/parallel.hpp"

namespace tapehead {

Optimizer::Optimizer(ParameterList all) : trained_(std::move(all)) {
  for (Parameter* parameter : trained_) there_.push_back(parameter->anchor.hold());
}

void Optimizer::step(const Gradients& gradients, const StepLoss& loss) {
  bool trainable = false, any = false;
  for (std::size_t i = 0; i < trained_.size(); ++i) {
    if (there_[i].expired())
      throw TapeError(
          "optimizer: parameter {} of {} no longer exists: its layer was destroyed or moved, for "
          "example in a growing vector; make the optimizer after the model is complete",
          i + 1, trained_.size());
    if (!trained_[i]->trainable || any) continue;
    trainable = true;
    any = gradients.contains(trained_[i]->value());
  }
  if (trainable && !any)
    throw TapeError(
        "optimizer: none of {} has a gradient; was the optimizer made for another "
        "model?",
        plural(trained_.size(), "parameter"));
  const Pause pause;
  ++steps;
  apply(gradients, loss);
}

void Optimizer::apply(const Gradients& gradients, const StepLoss&) {
  parallel_for(static_cast<Index>(trained_.size()), [&](Index i) {
    const Parameter& parameter = *trained_[i];
    if (!parameter.trainable || !gradients.contains(parameter.value())) return;
    const Tensor& gradient = gradients.stored(parameter.value());
    if (gradient) update(i, gradient, gradients.factor());
  });
}

void Optimizer::update(std::size_t, const Tensor&, double) {
  throw Error("an optimizer must override update or apply");
}

std::vector<Tensor> Optimizer::values() const {
  std::vector<Tensor> all;
  for (const Parameter* p : trained_) all.push_back(p->value());
  return all;
}

Tensor Optimizer::point() const { return flatten(values()); }

Tensor Optimizer::gradient_of(const Gradients& gradients) const {
  std::vector<Tensor> all;
  for (const Parameter* p : trained_) {
    const Tensor x = p->value();
    const Tensor g = gradients.contains(x) ? gradients.stored(x) : Tensor();
    all.push_back(g ? g * gradients.factor() : zeros(x.shape(), x.dtype()));
  }
  return flatten(all);
}

void Optimizer::move_to(const Tensor& point) {
  const std::vector<Tensor> parts = unflatten(point, values());
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (trained_[i]->trainable) trained_[i]->set(parts[i]);
}

void check_option(const char* optimizer, const char* name, double value, double low, double below) {
  if (!(value >= low && value < below))
    throw ValueError("{}: {} is {}, expected at least {} and below {}", optimizer, name, value, low,
                     below);
}

const char* decay_exemption(const std::string& option, const Parameter& parameter) {
  return option == "weight-decay" && !parameter.decay ? "none is subject to weight decay" : nullptr;
}

std::vector<Tensor> zeros_like(const std::vector<Parameter*>& parameters) {
  std::vector<Tensor> all;
  for (const Parameter* p : parameters) all.push_back(zeros(p->shape, p->value().dtype()));
  return all;
}

std::vector<Optimizer::State> named_states(const char* moment,
                                           const std::vector<Parameter*>& parameters,
                                           std::vector<Tensor>& tensors) {
  std::vector<Optimizer::State> states;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i])
      states.push_back({fmt::format("{}.{}", moment, parameters[i]->path), &tensors[i]});
  return states;
}

}  // namespace tapehead
