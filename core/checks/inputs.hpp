#pragma once
// Functions that draw random f64 inputs for gradient checks. Equal arguments give equal tensors.
#include "../random.hpp"
#include "../tensor.hpp"

#include <cmath>

namespace tapehead {

inline Tensor normal_sample(const Shape& shape, std::uint64_t seed) {
  return random_normal(shape, {seed}, DType::f64);
}
inline Tensor uniform_sample(const Shape& shape, double low, double high, std::uint64_t seed) {
  return random_uniform(shape, low, high, {seed}, DType::f64);
}
/// Draws from a normal distribution, and adds `distance` to the magnitude of each element.
inline Tensor nonzero_sample(const Shape& shape, std::uint64_t seed, double distance = 0.1) {
  std::vector<double> values = normal_sample(shape, seed).values();
  for (double& value : values) value += std::copysign(distance, value);
  return tensor(values, shape, DType::f64);
}

}  // namespace tapehead
