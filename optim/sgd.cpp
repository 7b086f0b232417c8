#include "sgd.hpp"
#include "../core/kernels/simd.hpp"
#include "moments.hpp"

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
    const Vec<T> momentum(static_cast<T>(options_.momentum)), rate(static_cast<T>(lr)),
        scale(static_cast<T>(factor)),
        decay(static_cast<T>(parameter.decay ? options_.weight_decay : 0));
    const Index n = gradient.size();
    T *p = parameter.change<T>(), *v = velocity_[i].mutable_data<T>();
    const auto next = [&](auto vi, auto g, auto x) {
      return momentum * vi + scale * g + decay * x;
    };
    map_row(v, n, next, static_cast<const T*>(v), gradient.data<T>(), static_cast<const T*>(p));
    const auto descend = [&](auto x, auto vi) { return x - rate * vi; };
    map_row(p, n, descend, static_cast<const T*>(p), static_cast<const T*>(v));
  });
}

}  // namespace tapehead
