#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "../trace.hpp"
#include "elementwise.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

Axes all_axes(const char* op, const Tensor& x) {
  check_present(op, x);
  Axes axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// The shape that reducing some axes leaves.
struct Reduced {
  Shape kept;       // reduced axes have size 1
  Shape dropped;    // reduced axes are dropped
  Index count = 1;  // elements per result

  Reduced(const char* op, const Tensor& x, const Axes& axes) {
    check_present(op, x);
    kept = x.shape();
    if (!x.is_float()) refuse_type(op, x.dtype());
    std::array<bool, Shape::max_rank> gone{};
    for (int named : axes) {
      const int axis = axis_of(op, x.shape(), named);
      if (std::exchange(gone[axis], true))
        throw ShapeError("{}: axes ({}) of {} name axis {} twice", op, fmt::join(axes, ", "),
                         x.shape(), axis);
      kept[axis] = 1;
      count *= x.dim(axis);
    }
    for (int axis = 0; axis < x.rank(); ++axis)
      if (!gone[axis]) dropped.push_back(x.dim(axis));
  }
};

/// Folds x to the shape `kept`, one run of adjacent axes at a time, the last run first, by a kernel
/// that folds n rows into one.
template <class Kernel>
Tensor reduce(const Tensor& x, const Shape& kept, Kernel kernel) {
  Tensor y = x;
  for (int end = x.rank(); end > 0; --end) {
    if (kept[end - 1] == x.dim(end - 1)) continue;
    Shape shape = y.shape();
    Index n = 1;
    const Index width = shape.slice(end, shape.rank()).size();
    while (end > 0 && kept[end - 1] == 1) n *= std::exchange(shape[--end], 1);
    const Index outer = shape.slice(0, end++).size();
    Tensor next = Tensor::empty(shape, x.dtype());
    dispatch_float("reduce", x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* in = y.data<T>();
      T* out = next.mutable_data<T>();
      for (Index i = 0; i < outer; ++i, in += n * width, out += width)
        kernel(kernels<T>())(out, in, n, width);
    });
    y = next;
  }
  return y;
}

Tensor sum_as(const char* op, const Tensor& x, const Shape& kept, const Shape& shape) {
  Tensor y = reduce(x, kept, [](auto& k) { return k.sum_rows; }).viewed_as(shape);
  return record(op, y, {x}, [kept, from = x.shape()](const Tensor& dy) {
    return Grads{broadcast_to(reshape(dy, kept), from)};
  });
}

}  // namespace

Tensor sum(const Tensor& x) { return sum(x, all_axes("sum", x)); }
Tensor sum(const Tensor& x, const Axes& axes, bool keep) {
  const Reduced to("sum", x, axes);
  notify_call(axes);
  return sum_as("sum", x, to.kept, keep ? to.kept : to.dropped);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  check_present("sum_to", x);
  if (!x.is_float()) refuse_type("sum_to", x.dtype());
  if (broadcast_shapes("sum_to", x.shape(), shape) != x.shape())
    throw ShapeError("sum_to: {} is larger than {}", shape, x.shape());
  Shape kept = x.shape();
  for (int axis = 1; axis <= x.rank(); ++axis)
    kept[-axis] = axis <= shape.rank() ? shape[-axis] : 1;
  return sum_as("sum_to", x, kept, shape);
}

Tensor mean(const Tensor& x) { return mean(x, all_axes("mean", x)); }
Tensor mean(const Tensor& x, const Axes& axes, bool keep) {
  const Reduced to("mean", x, axes);
  const Tensor total = sum(x, axes, keep);
  // Without elements it is NaN, and their gradient, which is empty, isn't divided by 0.
  return to.count > 0 ? total / static_cast<double>(to.count) : total + std::nan("");
}

Tensor var(const Tensor& x) { return var(x, all_axes("var", x)); }
Tensor var(const Tensor& x, const Axes& axes, bool keep, int correction) {
  const Reduced to("var", x, axes);
  const Tensor distance = x - mean(x, axes, true);
  const Tensor total = sum(distance * distance, axes, keep);
  if (to.count == 0) return total + std::nan("");  // as for mean
  return total / static_cast<double>(std::max<Index>(to.count - correction, 0));
}

Tensor amax(const Tensor& x) { return amax(x, all_axes("amax", x)); }
Tensor amax(const Tensor& x, const Axes& axes, bool keep) {
  const Reduced to("amax", x, axes);
  if (to.count == 0)
    throw ShapeError("amax: axes ({}) of {} have no elements, so there is no maximum",
                     fmt::join(axes, ", "), x.shape());
  const Tensor kept = reduce(x, to.kept, [](auto& k) { return k.max_rows; });
  Tensor y = kept.viewed_as(keep ? to.kept : to.dropped);
  return record("amax", y, {x}, [=, kept = to.kept](const Tensor& dy) {
    const Tensor top = equal(x, reshape(y, kept));
    const Tensor ties = sum(cast(top, x.dtype()), axes, true);
    return Grads{passed(reshape(dy, kept) / ties, top, x)};
  });
}

Tensor cumsum(const Tensor& x, int axis, bool back) {
  check_present("cumsum", x);
  const int along = axis_of("cumsum", x.shape(), axis);
  const Index n = x.dim(along), width = x.shape().slice(along + 1, x.rank()).size();
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float("cumsum", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = x.data<T>();
    T* out = y.mutable_data<T>();
    std::vector<double> sums(width);
    for (Index first = 0; first < x.size(); first += n * width) {
      std::fill(sums.begin(), sums.end(), 0);
      for (Index i = 0; i < n; ++i) {
        const Index row = first + (back ? n - 1 - i : i) * width;
        for (Index j = 0; j < width; ++j) out[row + j] = static_cast<T>(sums[j] += in[row + j]);
      }
    }
  });
  return record("cumsum", y, {x}, [=](const Tensor& dy) { return Grads{cumsum(dy, axis, !back)}; });
}

}  // namespace tapehead
