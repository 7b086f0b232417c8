#include "cache.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Copies the first `count` elements of x to y, from element `at` on.
void copy(Tensor& y, Index at, const Tensor& x, Index count) {
  with_elements(x.dtype(), [&](auto zero) {
    std::copy_n(x.data<decltype(zero)>(), count, y.mutable_data<decltype(zero)>() + at);
  });
}

}  // namespace

Tensor AppendableTensor::all() const {
  if (!memory_ || memory_.dim(1) == time_) return memory_;
  return memory_.slice_view(memory_.shape().with(1, time_));
}

Tensor AppendableTensor::add(const Tensor& rows) {
  if (time_ == 0) return (*this = rows).memory_;
  const Shape &shape = rows.shape(), held = all().shape();
  if (shape.with(1, time_) != held)
    throw ShapeError("cache: can't append {} to {}; the shapes may differ only along the time axis",
                     shape, held);
  if (shape[0] != 1 || is_tracked(rows) || is_tracked(memory_))
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

}  // namespace tapehead
