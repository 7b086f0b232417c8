#include "clip.hpp"
#include "../core/kernels/kernels.hpp"
#include "../core/numerics.hpp"
#include "../core/runtime/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

template <class T>
double largest_of(const T* x, Index n) {
  double most = 0;
  for (Index i = 0; i < n; ++i) {
    const double magnitude = std::abs(static_cast<double>(x[i]));
    if (!(magnitude <= most)) most = magnitude;
    if (std::isnan(most)) return most;
  }
  return most;
}

/// Returns the norm of all gradients together. Sums the squares in the order of `all`; null tensors
/// mean zeros.
double norm_of_all(const std::vector<Tensor>& all) {
  const auto sum = [&](double scale) {
    std::vector<double> sums(all.size());
    parallel_for(static_cast<Index>(all.size()), [&](Index i) {
      if (!all[i]) return;
      const std::vector<double> blocks = squares(all[i], scale);
      sums[i] = std::accumulate(blocks.begin(), blocks.end(), 0.0);
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  };
  const auto most = [&] {
    double most = 0;
    for (const Tensor& gradient : all)
      if (gradient) most = std::max(most, largest(gradient));
    return most;
  };
  return norm_of(sum, most);
}

}  // namespace

std::vector<double> squares(const Tensor& gradient, double scale) {
  std::vector<double> sums((gradient.size() + pinned::norm_block - 1) / pinned::norm_block);
  with_floats("global_norm", gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* g = gradient.data<T>();
    const auto blocks = [&](Index first, Index end) {
      for (Index i = first; i < end; ++i) {
        const Index at = i * pinned::norm_block,
                    count = std::min(pinned::norm_block, gradient.size() - at);
        sums[i] = kernels<T>().sum_of_squares(g + at, count, scale);
      }
    };
    parallel_elements(static_cast<Index>(sums.size()), blocks,
                      tuning::element_cost * pinned::norm_block);
  });
  return sums;
}

double largest(const Tensor& gradient) {
  return dispatch_float("global_norm", gradient.dtype(), [&](auto zero) {
    return largest_of(gradient.data<decltype(zero)>(), gradient.size());
  });
}

double norm_of(const std::function<double(double scale)>& squares,
               const std::function<double()>& largest) {
  constexpr double least = 0x1p-960;  // below this sum, some squares may have underflowed
  const double sum = squares(1);
  if (std::isnan(sum) || (std::isfinite(sum) && sum >= least)) return std::sqrt(sum);
  const double most = largest();
  if (most == 0 || !std::isfinite(most)) return most;
  const double scale = std::ldexp(1.0, std::min(-std::ilogb(most), 1023));
  return std::sqrt(squares(scale)) / scale;
}

template <class T>
double vector_norm(const T* x, Index n) {
  return norm_of([=](double scale) { return kernels<T>().sum_of_squares(x, n, scale); },
                 [=] { return largest_of(x, n); });
}
template double vector_norm(const float*, Index);
template double vector_norm(const double*, Index);

double global_norm(const Gradients& gradients) {
  return norm_of_all(gradients.all()) * std::abs(gradients.factor());
}

double global_norm(const Gradients& gradients, const std::vector<const Parameter*>& order) {
  std::vector<Tensor> all;
  for (const Parameter* parameter : order)
    if (gradients.contains(parameter->value())) all.push_back(gradients.stored(parameter->value()));
  return norm_of_all(all) * std::abs(gradients.factor());
}

Gradients clipped(Gradients gradients, double norm, double max_norm) {
  const bool too_long = max_norm > 0 && std::isfinite(norm) && norm > max_norm;
  return too_long ? std::move(gradients).scaled(max_norm / norm) : std::move(gradients);
}

Gradients clip(Gradients gradients, double max_norm, double* norm) {
  if (!(max_norm >= 0))
    throw ValueError("clip: max_norm is {}, expected a positive number, or 0 for no limit",
                     max_norm);
  const double length = global_norm(gradients);
  if (norm) *norm = length;
  return clipped(std::move(gradients), length, max_norm);
}

}  // namespace tapehead
