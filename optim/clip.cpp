#include "clip.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/runtime/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

double global_norm(const Gradients& gradients) {
  constexpr Index block = 1 << 16;  // sums of so many f32 squares are exact enough
  const std::vector<Tensor> all = gradients.all();
  std::vector<double> squares(all.size(), 0.0);
  parallel_for(static_cast<Index>(all.size()), [&](Index i) {
    const Tensor& gradient = all[i];
    dispatch_float("global_norm", gradient.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* g = gradient.data<T>();
      for (Index at = 0; at < gradient.size(); at += block)
        squares[i] += static_cast<double>(
            kernels<T>().sum_of_squares(g + at, std::min(block, gradient.size() - at)));
    });
  });
  // Sorted, for a sum that doesn't depend on the order in which a tape met the parameters.
  std::sort(squares.begin(), squares.end());
  double total = 0;
  for (double square : squares) total += square;
  return std::sqrt(total) * std::abs(gradients.factor());
}

Gradients clip(Gradients gradients, double max_norm, double* norm) {
  const double length = global_norm(gradients);
  if (norm) *norm = length;
  const bool too_long = max_norm > 0 && std::isfinite(length) && length > max_norm;
  return too_long ? std::move(gradients).scaled(max_norm / length) : std::move(gradients);
}

}  // namespace tapehead
