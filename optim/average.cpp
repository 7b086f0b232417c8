#include "average.hpp"
#include "../core/kernels/functions/logarithms.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/runtime/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

WeightAverage::WeightAverage(const std::vector<Parameter*>& all, double decay) : decay_(decay) {
  if (!(decay >= 0 && decay < 1))
    throw ValueError("WeightAverage: decay is {}, expected at least 0 and below 1", decay);
  for (Parameter* p : all) {
    if (!p->trainable) continue;
    const Tensor& value = p->value();
    Tensor copy = Tensor::empty(value.shape(), value.dtype());
    with_floats("WeightAverage", value.dtype(), [&](auto zero) {
      using T = decltype(zero);
      std::copy_n(value.data<T>(), value.size(), copy.mutable_data<T>());
    });
    averaged_.push_back(p);
    average_.push_back(std::move(copy));
  }
}

// The average is a weighted mean of t values. The weights are proportional to decay^n, n from 0 to
// t - 1, whose sum is (1 - decay^t) / (1 - decay). So the weight of the newest value is the inverse
// of this sum.
void WeightAverage::update(Index updates) {
  const double fraction = (1 - decay_) / (1 - kernel::pow(decay_, static_cast<double>(updates)));
  parallel_for(static_cast<Index>(averaged_.size()), [&](Index i) {
    const Tensor& value = averaged_[i]->value();
    Tensor& average = average_[i];
    with_floats("WeightAverage", value.dtype(), [&](auto zero) {
      using T = decltype(zero);
      T* const y = average.mutable_data<T>();
      const T* const x = value.data<T>();
      parallel_elements(value.size(), [&](Index first, Index end) {
        kernels<T>().mix(y + first, end - first, fraction, x + first, 1 - fraction);
      });
    });
  });
}

void WeightAverage::swap() {
  for (std::size_t i = 0; i < averaged_.size(); ++i) {
    Tensor value = averaged_[i]->value();
    averaged_[i]->set(std::exchange(average_[i], {}));
    average_[i] = std::move(value);
  }
}

std::vector<Optimizer::State> WeightAverage::state() {
  std::vector<Optimizer::State> states;
  for (std::size_t i = 0; i < averaged_.size(); ++i)
    states.push_back({"weights." + averaged_[i]->path, &average_[i]});
  return states;
}

}  // namespace tapehead
