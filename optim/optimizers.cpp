#include <tapehead/core/simd.hpp>
#include <tapehead/optim/optimizers.hpp>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

void check(const char* optimizer, const char* name, double value, double low, double below) {
  if (!(value >= low && value < below))
    throw ValueError("{}: {} is {}, and must be at least {} and below {}", optimizer, name, value,
                     low, below);
}

std::vector<Tensor> zeros_like(const std::vector<Parameter*>& parameters) {
  std::vector<Tensor> all;
  for (const Parameter* p : parameters) all.push_back(zeros(p->shape, p->value().dtype()));
  return all;
}

std::vector<Optimizer::State> named(const char* moment, const std::vector<Parameter*>& parameters,
                                    std::vector<Tensor>& tensors) {
  std::vector<Optimizer::State> states;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    states.push_back({fmt::format("{}.{}", moment, parameters[i]->path), &tensors[i]});
  return states;
}

}  // namespace

SGD::SGD(std::vector<Parameter*> all, const SGDOptions& options)
    : Optimizer(std::move(all)), options_(options), velocity_(zeros_like(trained())) {
  lr = options.lr;
  check("SGD", "lr", options.lr, 0, HUGE_VAL);
  check("SGD", "momentum", options.momentum, 0, 1);
  check("SGD", "weight_decay", options.weight_decay, 0, HUGE_VAL);
}

std::vector<Optimizer::State> SGD::state() { return named("velocity", trained(), velocity_); }

void SGD::update(std::size_t i, const Tensor& gradient, double factor) {
  Parameter& parameter = *trained()[i];
  dispatch_float("SGD", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Vec<T> momentum(static_cast<T>(options_.momentum)), rate(static_cast<T>(lr)),
        scale(static_cast<T>(factor)),
        decay(static_cast<T>(parameter.decay ? options_.weight_decay : 0));
    const Index n = gradient.size();
    T *p = parameter.change<T>(), *v = velocity_[i].fresh<T>();
    const auto next = [&](auto vi, auto g, auto x) {
      return momentum * vi + scale * g + decay * x;
    };
    map_row(v, n, next, static_cast<const T*>(v), gradient.data<T>(), static_cast<const T*>(p));
    const auto descend = [&](auto x, auto vi) { return x - rate * vi; };
    map_row(p, n, descend, static_cast<const T*>(p), static_cast<const T*>(v));
  });
}

AdamW::AdamW(std::vector<Parameter*> all, const AdamWOptions& options)
    : Optimizer(std::move(all)),
      options_(options),
      first_(zeros_like(trained())),
      second_(zeros_like(trained())) {
  lr = options.lr;
  check("AdamW", "lr", options.lr, 0, HUGE_VAL);
  check("AdamW", "beta1", options.beta1, 0, 1);
  check("AdamW", "beta2", options.beta2, 0, 1);
  check("AdamW", "epsilon", options.epsilon, 0, HUGE_VAL);
  check("AdamW", "weight_decay", options.weight_decay, 0, HUGE_VAL);
}

std::vector<Optimizer::State> AdamW::state() {
  std::vector<State> states = named("first", trained(), first_);
  for (State& state : named("second", trained(), second_)) states.push_back(std::move(state));
  return states;
}

void AdamW::update(std::size_t i, const Tensor& gradient, double factor) {
  Parameter& parameter = *trained()[i];
  const auto t = static_cast<double>(steps);
  const double rate = lr / (1 - std::pow(options_.beta1, t));  // of the first moment, unbiased
  const double spread = 1 / std::sqrt(1 - std::pow(options_.beta2, t));
  const double shrink = 1 - lr * (parameter.decay ? options_.weight_decay : 0);
  dispatch_float("AdamW", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using B = Vec<T>;
    const auto all = [](double value) { return B(static_cast<T>(value)); };
    const B beta1 = all(options_.beta1), beta2 = all(options_.beta2), scale = all(factor);
    const B rest1 = all(1 - options_.beta1), rest2 = all(1 - options_.beta2);
    const B rates = all(rate), spreads = all(spread), epsilon = all(options_.epsilon),
            keep = all(shrink);
    T *p = parameter.change<T>(), *m = first_[i].fresh<T>(), *v = second_[i].fresh<T>();
    const T* g = gradient.data<T>();
    const auto update = [&](B& x, B& mi, B& vi, B gi) {
      gi *= scale;
      mi = beta1 * mi + rest1 * gi;
      vi = beta2 * vi + rest2 * gi * gi;
      x = keep * x - rates * mi / (xsimd::sqrt(vi) * spreads + epsilon);
    };
    for (Index at = 0; at < gradient.size(); at += lanes<T>) {
      const Index part = std::min(lanes<T>, gradient.size() - at);
      B x = load_part(p + at, part), mi = load_part(m + at, part), vi = load_part(v + at, part);
      update(x, mi, vi, load_part(g + at, part));
      store_part(p + at, part, x), store_part(m + at, part, mi), store_part(v + at, part, vi);
    }
  });
}

}  // namespace tapehead
