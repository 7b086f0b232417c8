#include "steps.hpp"
#include "../../core/ops.hpp"
#include "../../train/files/number.hpp"

#include <fmt/ranges.h>

#include <cmath>

namespace tapehead {
namespace {

/// Formats the axes that broadcasting added or stretched, as in `axes 0 and 1`.
std::string summed_axes(const Shape& came, const Shape& shape) {
  std::vector<int> axes;
  const int added = came.rank() - shape.rank();
  for (int axis = 0; axis < came.rank(); ++axis)
    if (axis < added || (shape[axis - added] == 1 && came[axis] != 1)) axes.push_back(axis);
  if (axes.empty()) return "";
  return fmt::format("{} {}", axes.size() == 1 ? "axis" : "axes", fmt::join(axes, " and "));
}

}  // namespace

std::vector<Contribution> Explained::contributions(std::size_t to) const {
  const Pause pause;
  const Tensor& value = steps[to].value;
  std::vector<Contribution> result;
  for (std::size_t user = 0; user < steps.size(); ++user)
    for (std::size_t input = 0; input < steps[user].sent.size(); ++input) {
      const Tensor& sent = steps[user].sent[input];
      const int from = steps[user].inputs[input];
      if (!sent || from < 0 || steps[from].value.id() != value.id()) continue;
      result.push_back(
          {user, input, sum_to(sent, value.shape()), summed_axes(sent.shape(), value.shape())});
    }
  return result;
}

std::string summary(const Tensor& x) {
  if (!x || x.size() == 0) return "";
  const std::vector<double> values = x.values();
  if (values.size() == 1) return fmt::format("{:.4g}", without_nan_sign(values[0]));
  double square = 0, finite = 0;
  for (const double v : values)
    if (std::isfinite(v)) square += v * v, ++finite;
  const std::string root = finite > 0 ? fmt::format("{:.3g}", std::sqrt(square / finite)) : "";
  return finite < static_cast<double>(values.size()) ? root + ", inf" : root;
}

Tensor one_hot_like(const Tensor& x, Index element) {
  std::vector<double> values(x.size());
  values[element] = 1;
  return tensor(values, x.shape(), x.dtype());
}

}  // namespace tapehead
