#include "lion.hpp"
#include "moments.hpp"
#include "one_pass.hpp"

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
    const auto update = [&](B& x, B g, B& m) {
      const B move = beta1 * m + rest1 * g, none(T{0});
      const B sign = xsimd::select(move > none, rate, xsimd::select(move < none, -rate, move));
      x = keep * x - sign;  // of a NaN, NaN
      m = beta2 * m + rest2 * g;
    };
    one_pass<T>(parameter, gradient, update, momentum_[i]);
  });
}

}  // namespace tapehead
