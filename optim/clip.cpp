#include "clip.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/runtime/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {

std::vector<double> squares(const Tensor& gradient) {
  std::vector<double> sums((gradient.size() + norm_block - 1) / norm_block);
  dispatch_float("global_norm", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* g = gradient.data<T>();
    const auto blocks = [&](Index first, Index end) {
      for (Index i = first; i < end; ++i) {
        const Index at = i * norm_block, count = std::min(norm_block, gradient.size() - at);
        sums[i] = static_cast<double>(kernels<T>().sum_of_squares(g + at, count));
      }
    };
    in_pieces(static_cast<Index>(sums.size()), blocks, tuning::element_cost * norm_block);
  });
  return sums;
}

double norm_of(std::vector<double> squares) {
  // Sorted, for a sum that doesn't depend on the order in which a tape met the parameters.
  std::sort(squares.begin(), squares.end());
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

double global_norm(const Gradients& gradients) {
  const std::vector<Tensor> all = gradients.all();
  std::vector<double> sums(all.size());
  parallel_for(static_cast<Index>(all.size()), [&](Index i) {
    const std::vector<double> blocks = squares(all[i]);
    sums[i] = std::accumulate(blocks.begin(), blocks.end(), 0.0);
  });
  return norm_of(std::move(sums)) * std::abs(gradients.factor());
}

Gradients clipped(Gradients gradients, double norm, double max_norm) {
  const bool too_long = max_norm > 0 && std::isfinite(norm) && norm > max_norm;
  return too_long ? std::move(gradients).scaled(max_norm / norm) : std::move(gradients);
}

Gradients clip(Gradients gradients, double max_norm, double* norm) {
  const double length = global_norm(gradients);
  if (norm) *norm = length;
  return clipped(std::move(gradients), length, max_norm);
}

}  // namespace tapehead
