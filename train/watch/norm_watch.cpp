#include "norm_watch.hpp"
#include "../../core/kernels/functions/logarithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {

std::string NormWatch::notice(double norm) {
  constexpr long first = 50;                   // steps that establish the range
  constexpr double memory = 0.99;              // about a hundred steps
  constexpr double deviations = 4, least = 5;  // above the mean, and as a factor
  if (!(norm > 0) || !std::isfinite(norm)) return {};
  const double now = kernel::log(norm), deviation = std::sqrt(variance_);
  const double limit = mean_ + std::max(deviations * deviation, kernel::log(least));
  std::string text;
  if (seen_ >= first && now > limit)
    text = fmt::format("gradient norm {:.3g}; recently it was {:.2g} to {:.2g}", norm,
                       kernel::exp(mean_ - 2 * deviation), kernel::exp(mean_ + 2 * deviation));
  ++seen_;
  const double weight = std::max(1 - memory, 1 / static_cast<double>(seen_));
  const double away = (seen_ > first ? std::min(now, limit) : now) - mean_;
  mean_ += weight * away;
  variance_ = (1 - weight) * (variance_ + weight * away * away);
  return text;
}

}  // namespace tapehead
