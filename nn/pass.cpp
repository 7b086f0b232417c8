#include "pass.hpp"

#include <cmath>
#include <string_view>

namespace tapehead {

Tensor Pass::from_batch(const std::string& name) {
  reads_batch = true;
  if (!named) return {};
  const auto found = named->find(name);
  return found == named->end() ? Tensor() : found->second;
}

void Pass::add_loss(const std::string& name, const Tensor& x, double weight) {
  if (!x || x.size() != 1 || !x.is_float())
    throw ShapeError("add_loss: '{}' is {}, expected one number", name,
                     x ? fmt::format("{} {}", x.dtype(), x.shape()) : "no tensor");
  if (!std::isfinite(weight))
    throw ValueError("add_loss: the weight of '{}' is {}, expected a finite number", name, weight);
  added.push_back({name, reshape(x, {}), weight});
}

Tensor Pass::with_added_losses(Tensor loss, double share) const {
  for (const AddedLoss& each : added) loss = loss + each.x * (each.weight * share);
  return loss;
}

Tensor Pass::replaced(const HookPoint& point, const Tensor& x) const {
  Tensor y = hook(point, x);
  if (!y || y.shape() != x.shape() || y.dtype() != x.dtype())
    throw ShapeError("hook at {} of {} returned {}, expected {} {}", point.name, point.module,
                     y ? fmt::format("{} {}", y.dtype(), y.shape()) : "nothing", x.dtype(),
                     x.shape());
  return y;
}

std::function<Tensor(const Tensor&)> Pass::pattern(const char* module) const {
  if (!has_pattern_hook()) return nullptr;
  return [this, module](const Tensor& weights) { return at(module, "pattern", weights); };
}

void Pass::show_pattern(const char* module, const Tensor& weights) const {
  if (has_pattern_hook() && at(module, "pattern", weights).id() != weights.id())
    throw Error("hook at pattern of {}: the attention weights of this layer can't be replaced",
                module);
}

void collect_weights(Pass& pass, std::vector<AttentionWeights>& all) {
  pass.hook_patterns = true;
  pass.hook = [&all, hook = std::move(pass.hook)](const HookPoint& point, const Tensor& x) {
    const Tensor y = hook ? hook(point, x) : x;
    if (point.name == std::string_view("pattern")) all.push_back({point.module, y});
    return y;
  };
}

}  // namespace tapehead
