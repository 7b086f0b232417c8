#include "pass.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tapehead {
namespace {

/// Copies the first `count` elements of x to y, from element `at` on.
void copy(Tensor& y, Index at, const Tensor& x, Index count) {
  dispatch(x.dtype(), [&](auto zero) {
    std::copy_n(x.data<decltype(zero)>(), count, y.mutable_data<decltype(zero)>() + at);
  });
}

}  // namespace

Tensor Growing::all() const {
  if (!memory_ || memory_.dim(1) == time_) return memory_;
  return memory_.part_as(memory_.shape().with(1, time_));
}

Tensor Growing::add(const Tensor& rows) {
  if (time_ == 0) return (*this = rows).memory_;
  const Shape &shape = rows.shape(), held = all().shape();
  if (shape.with(1, time_) != held) throw ShapeError("a cache: {} behind {}", shape, held);
  if (shape[0] != 1 || known(rows) || known(memory_))
    return (*this = concat({all(), rows}, 1)).memory_;
  const Index row = shape.with(1, 1).size(), time = time_ + shape[1];
  if (time > memory_.dim(1) || memory_.shared()) {
    Tensor larger = Tensor::empty(shape.with(1, 2 * time), memory_.dtype());
    copy(larger, 0, memory_, time_ * row);
    memory_ = larger;
  }
  copy(memory_, time_ * row, rows, rows.size());
  time_ = time;
  return all();
}

Tensor Pass::from_batch(const std::string& name) {
  reads_batch = true;
  if (!named) return {};
  const auto found = named->find(name);
  return found == named->end() ? Tensor() : found->second;
}

void Pass::add_loss(const std::string& name, const Tensor& x, double weight) {
  if (!x || x.size() != 1 || !x.is_float())
    throw ShapeError("add_loss: '{}' is {}, and must be one number", name,
                     x ? fmt::format("{} {}", x.dtype(), x.shape()) : "no tensor");
  if (!std::isfinite(weight)) throw ValueError("add_loss: '{}' has the weight {}", name, weight);
  added.push_back({name, reshape(x, {}), weight});
}

Tensor Pass::with_added(Tensor loss, double share) const {
  for (const AddedLoss& each : added) loss = loss + each.x * (each.weight * share);
  return loss;
}

Tensor Pass::replaced(const Point& point, const Tensor& x) const {
  Tensor y = hook(point, x);
  if (!y || y.shape() != x.shape() || y.dtype() != x.dtype())
    throw ShapeError("{} of {}: {} {} can't take the place of {} {}", point.name, point.module,
                     y ? to_string(y.dtype()) : "nothing", y ? y.shape() : Shape(),
                     to_string(x.dtype()), x.shape());
  return y;
}

std::function<Tensor(const Tensor&)> Pass::pattern(const char* module) const {
  if (!sees_patterns()) return nullptr;
  return [this, module](const Tensor& weights) { return at(module, "pattern", weights); };
}

void Pass::show_pattern(const char* module, const Tensor& weights) const {
  if (sees_patterns() && at(module, "pattern", weights).id() != weights.id())
    throw Error("pattern of {}: it can be read, and not replaced", module);
}

void collect_weights(Pass& pass, std::vector<AttentionWeights>& all) {
  pass.hook_patterns = true;
  pass.hook = [&all](const Point& point, const Tensor& x) {
    if (point.name == std::string_view("pattern")) all.push_back({point.module, x});
    return x;
  };
}

}  // namespace tapehead
