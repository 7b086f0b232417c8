#include "lion.hpp"
#include "../core/kernels/simd.hpp"
#include "moments.hpp"

#include <cmath>

namespace tapehead {

Lion::Lion(std::vector<Parameter*> all, const LionOptions& options)
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
  dispatch_float("Lion", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using B = Vec<T>;
    const auto all = [](double value) { return B(static_cast<T>(value)); };
    const B beta1 = all(options_.beta1), rest1 = all((1 - options_.beta1) * factor);
    const B beta2 = all(options_.beta2), rest2 = all((1 - options_.beta2) * factor);
    const B rate = all(lr), keep = all(1 - lr * (parameter.decay ? options_.weight_decay : 0));
    const Index n = gradient.size();
    T *p = parameter.change<T>(), *m = momentum_[i].mutable_data<T>();
    const T* g = gradient.data<T>();
    const auto descend = [&](auto x, auto mi, auto gi) {
      const B move = beta1 * mi + rest1 * gi, none(T{0});
      const B sign = xsimd::select(move > none, rate, xsimd::select(move < none, -rate, move));
      return keep * x - sign;  // of a NaN, NaN
    };
    map_row(p, n, descend, static_cast<const T*>(p), static_cast<const T*>(m), g);
    const auto next = [&](auto mi, auto gi) { return beta2 * mi + rest2 * gi; };
    map_row(m, n, next, static_cast<const T*>(m), g);
  });
}

}  // namespace tapehead
