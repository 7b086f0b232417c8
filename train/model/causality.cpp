#include "causality.hpp"
#include "../../core/checks/gradcheck.hpp"
#include "../../core/random.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

void perturb_parameters(Module& module) {
  std::uint64_t seed = 1;
  for (Parameter* p : parameters(module)) {
    const auto inputs = static_cast<double>(p->shape.rank() > 1 ? p->shape[-1] : 1);
    const double distance = std::min(0.3, 1 / std::sqrt(std::max(inputs, 1.0)));
    p->set(p->value() + distance * random_normal(p->shape, {++seed}, p->dtype));
  }
}

Tensor with_changed_position(const Tensor& x, Index position) {
  const Index time = x.dim(1), width = x.size() / std::max<Index>(x.dim(0) * time, 1);
  // Avoids seed 1, because x is often drawn with it and wouldn't change.
  const auto seed = static_cast<std::uint64_t>((position > 0 ? position : time) + 1);
  const std::vector<double> drawn = random_normal(x.shape(), {seed}, DType::f64).values();
  std::vector<double> values = x.values();
  const double ids = 1 + *std::max_element(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (static_cast<Index>(i) / width % time == position)
      values[i] = x.is_float() ? drawn[i] : std::fmod(values[i] + 1, ids);
  return tensor(values, x.shape(), x.dtype());
}

std::optional<FutureLeak> future_leak(const std::function<Tensor(const Tensor&)>& f,
                                      const Tensor& x) {
  const Tensor y = f(x);  // (batch, time - ahead, ...)
  const double tolerance = y.dtype() == DType::f32 ? 1e-3 : 1e-9;
  const Index time = y.dim(1), ahead = x.dim(1) - time;
  const Index width = y.size() / std::max<Index>(y.dim(0) * time, 1);
  for (Index later = x.dim(1) - 1; later > ahead; --later) {
    const Tensor other = f(with_changed_position(x, later));
    for (Index i = 0; i < y.size(); ++i) {
      const Index position = i / width % time;
      if (position + ahead < later && relative_error(y(i), other(i), 1) > tolerance)
        return FutureLeak{position, later, i, y(i), other(i)};
    }
  }
  return {};
}

}  // namespace tapehead
