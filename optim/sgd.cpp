#include "sgd.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/runtime/parallel.hpp"

#include <cmath>

namespace tapehead {

SGD::SGD(ParameterList all, const SGDOptions& options)
    : Optimizer(std::move(all)), options_(options), velocity_(zeros_like(trained())) {
  lr = options.lr;
  check_option("SGD", "lr", options.lr, 0, HUGE_VAL);
  check_option("SGD", "momentum", options.momentum, 0, 1);
  check_option("SGD", "weight_decay", options.weight_decay, 0, HUGE_VAL);
}

std::vector<Optimizer::State> SGD::state() {
  return named_states("velocity", trained(), velocity_);
}

void SGD::update(std::size_t i, const Tensor& gradient, double factor) {
  Parameter& parameter = *trained()[i];
  with_floats("SGD", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const double decay = parameter.decay ? options_.weight_decay : 0;
    T *const x = parameter.change<T>(), *const v = velocity_[i].mutable_data<T>();
    const T* const g = gradient.data<T>();
    parallel_elements(gradient.size(), [&](Index at, Index end) {
      kernels<T>().sgd(x + at, end - at, g + at, v + at, {lr, options_.momentum, decay, factor});
    });
  });
}

}  // namespace tapehead
