#include "probes.hpp"
#include "../../core/checks/gradcheck.hpp"
#include "../../core/checks/inputs.hpp"
#include "../../core/containers.hpp"
#include "../../core/derivatives.hpp"
#include "../../core/tape.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr double epsilon = 0x1p-23;  // machine epsilon of f32

Tensor rounded(const Tensor& x) { return cast_floats(cast_floats(x, DType::f32), DType::f64); }
double largest(const Tensor& x) { return amax(abs(x)).item(); }

/// Returns a layer's result, then the gradients of all parameters and, last, of the input.
std::vector<Tensor> parts_of(Module& layer, const Tensor& x) {
  const ForwardBackward run = run_forward_backward(layer, x);
  std::vector<Tensor> parts = {run.y};
  append(parts, run.gradients);
  return parts;
}

/// Describes an element of the result that is infinite or NaN in f32 but not in f64, if the input
/// is multiplied by `factor`. Returns an empty text if there is none.
std::string overflow(const Module& full, const Module& single, const Tensor& x, double factor) {
  Pass pass = Pass::evaluation(), other = pass;
  const Tensor y = full(x * factor, pass), coarse = single(cast(x * factor, DType::f32), other);
  for (Index i = 0; i < y.size(); ++i)
    if (std::abs(y(i)) < 1e30 && !std::isfinite(coarse(i)))
      return fmt::format(
          "With the input scaled by {}, element {} of the result is {} in f32, but {:.6g} in "
          "f64. Subtract the maximum before exp, or limit its range.",
          factor, indices_of(y.shape(), i), coarse(i), y(i));
  return "";
}

}  // namespace

Tensor cast_floats(const Tensor& x, DType dtype) { return x.is_float() ? cast(x, dtype) : x; }

Tensor append_losses(const Tensor& y, const Pass& pass) {
  if (pass.added.empty()) return y;
  std::vector<Tensor> all = {y};
  for (const Pass::AddedLoss& added : pass.added) all.push_back(added.x);
  return flatten(all);
}

ForwardBackward run_forward_backward(Module& layer, const Tensor& input) {
  Tape tape;
  const Tensor x = input.detached();
  if (x.is_float()) tape.watch(x);
  Pass pass = Pass::training(1, 0);
  ForwardBackward result;
  result.y = layer(x, pass);
  const Tensor all = append_losses(result.y, pass);
  tape.watch(all);  // a result that depends on nothing isn't tracked yet
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

std::optional<Blind> blind_position(const std::function<Tensor(const Tensor&)>& f,
                                    const Tensor& x) {
  const Tensor y = f(x);
  const Index time = y.dim(1);
  std::vector<Tensor> changed;
  for (Index position = 0; position < time; ++position)
    changed.push_back(f(with_changed_position(x, position)));
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

std::string precision_loss(Module& full, Module& single, const Tensor& input) {
  const std::vector<Parameter*> all = parameters(full), others = parameters(single);
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    values.push_back(rounded(all[i]->value()));
    all[i]->set(values[i]);
    others[i]->set(cast(values[i], DType::f32));
  }
  const Tensor x = rounded(input);
  const std::vector<Tensor> exact = parts_of(full, x);
  const std::vector<Tensor> coarse = parts_of(single, cast_floats(x, DType::f32));
  std::vector<double> explained(exact.size(), 0);
  for (std::uint64_t draw = 1; draw <= 3; ++draw) {
    const auto moved = [&](const Tensor& t) {
      return t.is_float() ? t * (1 + epsilon * normal_sample(t.shape(), draw)) : t;
    };
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->set(moved(values[i]));
    const std::vector<Tensor> near = parts_of(full, moved(x));
    for (std::size_t k = 0; k < exact.size(); ++k)
      if (exact[k] && near[k] && exact[k].size() > 0)
        explained[k] = std::max(explained[k], largest(near[k] - exact[k]));
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->set(values[i]);
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (!exact[k] || !coarse[k] || exact[k].size() == 0) continue;
    const double limit = 32 * explained[k] + 64 * epsilon * std::max(1.0, largest(exact[k]));
    for (Index i = 0; i < exact[k].size(); ++i) {
      const double is = coarse[k](i), right = exact[k](i);
      if (relative_error(is, right, 1) == 0 || std::abs(is - right) <= limit) continue;
      const std::string what = k == 0 ? "the result"
                               : k + 1 == exact.size()
                                   ? "the gradient of the input"
                                   : fmt::format("the gradient of '{}'", all[k - 1]->path);
      return fmt::format(
          "Element {} of {} is {:.6g} in f32, but {:.6g} in f64; rounding explains at most {:.1e}. "
          "Look for a small difference of large numbers, an overflow, or a hard-coded type.",
          indices_of(exact[k].shape(), i), what, is, right, limit);
    }
  }
  for (double factor = 2; x.is_float() && factor <= 128; factor *= 2)
    if (const std::string text = overflow(full, single, x, factor); !text.empty()) return text;
  return "";
}

}  // namespace tapehead
