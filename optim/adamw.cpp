#include "adamw.hpp"
#include "../core/kernels/functions/logarithms.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/runtime/parallel.hpp"

#include <cmath>

namespace tapehead {

AdamW::AdamW(ParameterList all, const AdamWOptions& options)
    : Optimizer(std::move(all)),
      options_(options),
      first_(zeros_like(trained())),
      second_(zeros_like(trained())) {
  lr = options.lr;
  check_adamw("AdamW", options);
}

std::vector<Optimizer::State> AdamW::state() {
  std::vector<State> states = named_states("first", trained(), first_);
  for (State& state : named_states("second", trained(), second_))
    states.push_back(std::move(state));
  return states;
}

void AdamW::update(std::size_t i, const Tensor& gradient, double factor) {
  AdamWOptions now = options_;
  now.lr = lr;
  adamw_step(*trained()[i], first_[i], second_[i], gradient, factor, steps, now);
}

void check_adamw(const char* optimizer, const AdamWOptions& options) {
  check_option(optimizer, "lr", options.lr, 0, HUGE_VAL);
  check_option(optimizer, "beta1", options.beta1, 0, 1);
  check_option(optimizer, "beta2", options.beta2, 0, 1);
  check_option(optimizer, "epsilon", options.epsilon, 0, HUGE_VAL);
  check_option(optimizer, "weight_decay", options.weight_decay, 0, HUGE_VAL);
}

void adamw_step(Parameter& parameter, Tensor& first, Tensor& second, const Tensor& gradient,
                double factor, Index step, const AdamWOptions& options) {
  const auto t = static_cast<double>(step);
  const double rate =
      options.lr / (1 - kernel::pow(options.beta1, t));  // lr, corrected for the bias of `first`
  // Corrects the square root of `second` for its bias.
  const double spread = 1 / std::sqrt(1 - kernel::pow(options.beta2, t));
  const double keep = 1 - options.lr * (parameter.decay ? options.weight_decay : 0);
  with_floats("AdamW", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T *const x = parameter.change<T>(), *const m = first.mutable_data<T>(),
             *const v = second.mutable_data<T>();
    const T* const g = gradient.data<T>();
    parallel_elements(gradient.size(), [&](Index i, Index end) {
      kernels<T>().adamw(
          x + i, end - i, g + i, m + i, v + i,
          {rate, spread, options.beta1, options.beta2, options.epsilon, keep, factor});
    });
  });
}

}  // namespace tapehead
