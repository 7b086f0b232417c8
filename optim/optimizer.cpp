#include "optimizer.hpp"
#include "../core/runtime/parallel.hpp"

namespace tapehead {

void Optimizer::step(const Gradients& gradients) {
  const Pause pause;
  ++steps;
  parallel_for(static_cast<Index>(trained_.size()), [&](Index i) {
    const Parameter& parameter = *trained_[i];
    if (!parameter.trainable || !gradients.contains(parameter.value())) return;
    const Tensor& gradient = gradients.stored(parameter.value());
    if (gradient) update(i, gradient, gradients.factor());
  });
}

}  // namespace tapehead
