#include "sgd.hpp"
#include "moments.hpp"
#include "one_pass.hpp"

#include <cmath>

namespace tapehead {

SGD::SGD(std::vector<Parameter*> all, const SGDOptions& options)
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
  dispatch_float("SGD", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using B = Vec<T>;
    const auto all = [](double value) { return B(static_cast<T>(value)); };
    const B momentum = all(options_.momentum), rate = all(lr), scale = all(factor);
    const B decay = all(parameter.decay ? options_.weight_decay : 0);
    const auto update = [&](B& x, B g, B& v) {
      v = momentum * v + scale * g + decay * x;
      x = x - rate * v;
    };
    one_pass<T>(parameter, gradient, update, velocity_[i]);
  });
}

}  // namespace tapehead
