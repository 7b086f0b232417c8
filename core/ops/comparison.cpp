// Ops that compare elements.
#include "../ops.hpp"
#include "elementwise.hpp"
#include "families.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Computes f(a, b) for each element, as i32 0 or 1.
template <class F>
Tensor compare(const char* op, const Tensor& a, const Tensor& b, F f) {
  check_same_type(op, a, b);
  const Shape shape = broadcast_shapes(op, a.shape(), b.shape());
  const Tensor lefts = spread(a, shape), rights = spread(b, shape);
  Tensor y = Tensor::empty(shape, DType::i32);
  with_elements(a.dtype(), [&](auto zero) {
    const auto *left = lefts.data<decltype(zero)>(), *right = rights.data<decltype(zero)>();
    std::transform(left, left + y.size(), right, y.mutable_data<std::int32_t>(), f);
  });
  return record(op, y, {a, b}, nullptr);
}

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) {
  return compare("equal", a, b, [](auto x, auto y) { return x == y; });
}

Tensor less(const Tensor& a, const Tensor& b) {
  return compare("less", a, b, [](auto x, auto y) { return x < y; });
}

Tensor less_equal(const Tensor& a, const Tensor& b) {
  return compare("less_equal", a, b, [](auto x, auto y) { return x <= y; });
}

std::vector<Op> comparison_ops() {
  return {{"equal", "y = 1 where a = b, 0 elsewhere", {}, equal, {"a", "b"}},
          {"less", "y = 1 where a < b, 0 elsewhere", {}, less, {"a", "b"}},
          {"less_equal", "y = 1 where a <= b, 0 elsewhere", {}, less_equal, {"a", "b"}}};
}

}  // namespace tapehead
