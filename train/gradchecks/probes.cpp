#include "probes.hpp"
#include "../../core/checks/gradcheck.hpp"
#include "../../core/checks/inputs.hpp"
#include "../../core/derivatives.hpp"
#include "../../core/tape.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// x (batch, time, ...) with other values at one position.
Tensor changed_at(const Tensor& x, Index position) {
  const Index time = x.dim(1), width = x.size() / std::max<Index>(x.dim(0) * time, 1);
  // Samples are often drawn with 1, and position 0 must change, too.
  const auto seed = static_cast<std::uint64_t>((position > 0 ? position : time) + 1);
  const std::vector<double> drawn = random_normal(x.shape(), {seed}, DType::f64).values();
  std::vector<double> values = x.values();
  const double ids = 1 + *std::max_element(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (static_cast<Index>(i) / width % time == position)
      values[i] = x.is_float() ? drawn[i] : std::fmod(values[i] + 1, ids);
  return tensor(values, x.shape(), x.dtype());
}

}  // namespace

void as_after_training(Module& module) {
  std::uint64_t seed = 1;
  for (Parameter* p : parameters(module)) {
    const auto inputs = static_cast<double>(p->shape.rank() > 1 ? p->shape[-1] : 1);
    const double distance = std::min(0.3, 1 / std::sqrt(std::max(inputs, 1.0)));
    p->set(p->value() + distance * random_normal(p->shape, {++seed}, p->dtype));
  }
}

Tensor in_type(const Tensor& x, DType dtype) { return x.is_float() ? cast(x, dtype) : x; }

Tensor with_losses(const Tensor& y, const Pass& pass) {
  if (pass.added.empty()) return y;
  std::vector<Tensor> all = {y};
  for (const Pass::AddedLoss& added : pass.added) all.push_back(added.x);
  return flat(all);
}

BothWays run_both_ways(Module& layer, const Tensor& input) {
  Tape tape;
  const Tensor x = input.detached();
  if (x.is_float()) tape.watch(x);
  Pass pass = Pass::training(1, 0);
  BothWays result;
  result.y = layer(x, pass);
  const Tensor all = with_losses(result.y, pass);
  tape.watch(all);  // it may depend on nothing
  const Tensor dy = cast(normal_sample(all.shape(), 1), DType::f32);
  const Gradients gradients = tape.backward(all, cast(dy, all.dtype()));
  const auto of = [&](const Tensor& t) {
    return gradients.contains(t) ? gradients.stored(t) : Tensor();
  };
  for (const Parameter* p : parameters(layer)) result.gradients.push_back(of(p->value()));
  result.gradients.push_back(of(x));
  return result;
}

Index first_difference(const Tensor& a, const Tensor& b, double tolerance) {
  for (Index i = 0; i < a.size(); ++i)
    if (relative_error(a(i), b(i), 1) > tolerance) return i;
  return -1;
}

std::optional<FutureLeak> future_leak(const std::function<Tensor(const Tensor&)>& f,
                                      const Tensor& x) {
  const Tensor y = f(x);  // (batch, time - ahead, ...)
  const double tolerance = y.dtype() == DType::f32 ? 1e-3 : 1e-9;
  const Index time = y.dim(1), ahead = x.dim(1) - time;
  const Index width = y.size() / std::max<Index>(y.dim(0) * time, 1);
  for (Index later = x.dim(1) - 1; later > ahead; --later) {
    const Tensor other = f(changed_at(x, later));
    for (Index i = 0; i < y.size(); ++i) {
      const Index position = i / width % time;
      if (position + ahead < later && relative_error(y(i), other(i), 1) > tolerance)
        return FutureLeak{position, later, i, y(i), other(i)};
    }
  }
  return {};
}

std::optional<Blind> blind_position(const std::function<Tensor(const Tensor&)>& f,
                                    const Tensor& x) {
  const Tensor y = f(x);
  const Index time = y.dim(1);
  std::vector<Tensor> changed;
  for (Index position = 0; position < time; ++position)
    changed.push_back(f(changed_at(x, position)));
  const auto sees = [&](Index position, Index earlier) {
    const auto at = [&](const Tensor& all) { return slice(all, 1, position, position + 1); };
    return first_difference(at(y), at(changed[earlier]), 1e-9) >= 0;
  };
  const auto all_see = [&](Index earlier) {
    for (Index position = earlier + 1; position < time; ++position)
      if (!sees(position, earlier)) return false;
    return true;
  };
  for (Index distance = 1; distance < time; ++distance) {
    Index blind = -1, seeing = -1;
    for (Index earlier = 0; earlier + distance < time; ++earlier)
      if (!all_see(earlier))
        (sees(earlier + distance, earlier) ? seeing : blind) = earlier + distance;
    if (blind >= 0 && seeing >= 0) return Blind{blind, seeing, distance};
  }
  return {};
}

}  // namespace tapehead
