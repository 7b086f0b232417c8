#include "lion.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/runtime/parallel.hpp"

#include <cmath>

namespace tapehead {

Lion::Lion(ParameterList all, const LionOptions& options)
    : Optimizer(std::move(all)), options_(options), momentum_(zeros_like(trained())) {
  lr = options.lr;
  check_option("Lion", "lr", options.lr, 0, HUGE_VAL);
  check_option("Lion", "beta1", options.beta1, 0, 1);
  check_option("Lion", "beta2", options.beta2, 0, 1);
  check_option("Lion", "weight_decay", options.weight_decay, 0, HUGE_VAL);
}

std::vector<Optimizer::State> Lion::state() {
  return named_states("momentum", trained(), momentum_);
}

void Lion::update(std::size_t i, const Tensor& gradient, double factor) {
  Parameter& parameter = *trained()[i];
  with_floats("Lion", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const double keep = 1 - lr * (parameter.decay ? options_.weight_decay : 0);
    T *const x = parameter.change<T>(), *const m = momentum_[i].mutable_data<T>();
    const T* const g = gradient.data<T>();
    parallel_elements(gradient.size(), [&](Index at, Index end) {
      kernels<T>().lion(x + at, end - at, g + at, m + at,
                        {lr, options_.beta1, options_.beta2, keep, factor});
    });
  });
}

}  // namespace tapehead
