#include "catalog.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tapehead {

const std::vector<OpRow>& op_catalog() {
  static const std::vector<OpRow> all = [] {
    std::vector<OpRow> rows;
    for (const auto family : {arithmetic_rows, activation_rows, reduction_rows, layout_rows,
                              product_rows, normalisation_rows, loss_rows, attention_rows}) {
      std::vector<OpRow> next = family();
      std::move(next.begin(), next.end(), std::back_inserter(rows));
    }
    return rows;
  }();
  return all;
}

Tensor normal_sample(const Shape& shape, std::uint64_t seed) {
  return random_normal(shape, {seed}, DType::f64);
}

Tensor uniform_sample(const Shape& shape, double low, double high, std::uint64_t seed) {
  return random_uniform(shape, low, high, {seed}, DType::f64);
}

Tensor nonzero_sample(const Shape& shape, std::uint64_t seed, double distance) {
  std::vector<double> values = normal_sample(shape, seed).values();
  for (double& value : values) value += std::copysign(distance, value);
  return tensor(values, shape, DType::f64);
}

std::function<Tensor()> gradient_call(const Function& f, const std::vector<Tensor>& inputs,
                                      const Tensor& dy, std::size_t which) {
  return [=] {
    Tape tape;
    for (const Tensor& x : inputs) tape.watch(x);
    return tape.backward(f(inputs), dy)[inputs[which]];
  };
}

}  // namespace tapehead
