#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "../plural.hpp"
#include "elementwise.hpp"
#include "families.hpp"
#include "ids.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {

enum class TopKPart { values, ids };
template <>
struct EnumNames<TopKPart> {
  static constexpr Choice<TopKPart> all[] = {{"values", TopKPart::values}, {"ids", TopKPart::ids}};
};

namespace {

Axes all_axes(const char* op, const Tensor& x) {
  check_present(op, x);
  Axes axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// The shape of the result when some axes are reduced.
struct Reduced {
  Shape kept;       // the reduced axes have size 1
  Shape dropped;    // the reduced axes are missing
  Index count = 1;  // number of elements that one result is computed from

  Reduced(const char* op, const Tensor& x, const Axes& axes) {
    check_present(op, x);
    kept = x.shape();
    if (!x.is_float()) refuse_type(op, x.dtype());
    std::array<bool, Shape::max_rank> gone{};
    for (int named : axes) {
      const int axis = axis_of(op, x.shape(), named);
      if (std::exchange(gone[axis], true))
        throw ShapeError("{}: axes ({}) of {} contain axis {} twice", op, fmt::join(axes, ", "),
                         x.shape(), axis);
      kept[axis] = 1;
      count *= x.dim(axis);
    }
    for (int axis = 0; axis < x.rank(); ++axis)
      if (!gone[axis]) dropped.push_back(x.dim(axis));
  }
};

/// Reduces x to the shape `kept` with a kernel that reduces n rows to one row. Each pass reduces
/// one group of adjacent axes, beginning with the last group.
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
    with_floats("reduce", x.dtype(), [&](auto zero) {
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

Tensor sum_as(const OpCall& call, const Tensor& x, const Shape& kept, const Shape& shape) {
  Tensor y = reduce(x, kept, [](auto& k) { return k.sum_rows; }).viewed_as(shape);
  return record(call, y, {x}, [kept, from = x.shape()](const Tensor& dy) {
    return Grads{broadcast_to(reshape(dy, kept), from)};
  });
}

/// Returns whether x is larger than y, where NaN counts as larger than any number.
template <class T>
bool exceeds(T x, T y) {
  const auto is_nan = [](T v) { return std::isnan(static_cast<double>(v)); };
  return x > y || (is_nan(x) && !is_nan(y));
}

}  // namespace

Tensor sum(const Tensor& x) { return sum(x, all_axes("sum", x)); }
Tensor sum(const Tensor& x, const Axes& axes, bool keep) {
  const Reduced to("sum", x, axes);
  return sum_as({"sum", {{"axes", axes}, {"keep", keep}}}, x, to.kept, keep ? to.kept : to.dropped);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  check_present("sum_to", x);
  if (!x.is_float()) refuse_type("sum_to", x.dtype());
  if (broadcast_shapes("sum_to", x.shape(), shape) != x.shape())
    throw ShapeError("sum_to: {} doesn't broadcast to {}", shape, x.shape());
  Shape kept = x.shape();
  for (int axis = 1; axis <= x.rank(); ++axis)
    kept[-axis] = axis <= shape.rank() ? shape[-axis] : 1;
  return sum_as("sum_to", x, kept, shape);
}

Tensor mean(const Tensor& x) { return mean(x, all_axes("mean", x)); }
Tensor mean(const Tensor& x, const Axes& axes, bool keep) {
  const Reduced to("mean", x, axes);
  const Tensor total = sum(x, axes, keep);
  // The mean of no elements is NaN. Adding NaN avoids a division by 0 in backward.
  return to.count > 0 ? total / static_cast<double>(to.count) : total + std::nan("");
}

Tensor var(const Tensor& x) { return var(x, all_axes("var", x)); }
Tensor var(const Tensor& x, const Axes& axes, bool keep, int correction) {
  const Reduced to("var", x, axes);
  const Tensor distance = x - mean(x, axes, true);
  const Tensor total = sum(distance * distance, axes, keep);
  if (to.count == 0) return total + std::nan("");  // NaN, as in `mean`
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
  return record({"amax", {{"axes", axes}, {"keep", keep}}}, y, {x},
                [=, kept = to.kept](const Tensor& dy) {
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
  with_floats("cumsum", x.dtype(), [&](auto zero) {
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
  return record({"cumsum", {{"axis", axis}, {"back", back}}}, y, {x},
                [=](const Tensor& dy) { return Grads{cumsum(dy, axis, !back)}; });
}

Tensor argmax(const Tensor& x, int axis, bool keep) {
  check_present("argmax", x);
  const int along = axis_of("argmax", x.shape(), axis);
  const Index n = x.dim(along), width = x.shape().slice(along + 1, x.rank()).size();
  if (n == 0)
    throw ShapeError("argmax: axis {} of {} has no elements, so there is no maximum", axis,
                     x.shape());
  check_countable("argmax", x.shape(), n);
  const Shape kept = x.shape().with(along, 1);
  const Shape dropped = joined(kept.slice(0, along), kept.slice(along + 1, kept.rank()));
  Tensor y = Tensor::empty(keep ? kept : dropped, DType::i32);
  with_elements(x.dtype(), [&](auto zero) {
    const auto* in = x.data<decltype(zero)>();
    std::int32_t* out = y.mutable_data<std::int32_t>();
    for (Index i = 0; i < y.size(); ++i) {
      const auto* const first = in + i / width * n * width + i % width;
      Index best = 0;
      for (Index k = 1; k < n; ++k)
        if (exceeds(first[k * width], first[best * width])) best = k;
      out[i] = static_cast<std::int32_t>(best);
    }
  });
  return y;
}

TopK top_k(const Tensor& x, Index k) {
  check_present("top_k", x);
  const int last = axis_of("top_k", x.shape(), -1);
  const Index n = x.dim(last);
  if (k < 0 || k > n)
    throw ShapeError("top_k: k is {}, but the last axis of {} has {}", k, x.shape(),
                     plural(n, "element"));
  check_countable("top_k", x.shape(), n);
  Tensor ids = Tensor::empty(x.shape().with(last, k), DType::i32);
  with_elements(x.dtype(), [&](auto zero) {
    const auto* row = x.data<decltype(zero)>();
    std::int32_t* to = ids.mutable_data<std::int32_t>();
    const auto before = [&](std::int32_t a, std::int32_t b) {
      return exceeds(row[a], row[b]) || (!exceeds(row[b], row[a]) && a < b);
    };
    std::vector<std::int32_t> order(n);
    for (Index rows = x.shape().slice(0, last).size(); rows > 0; --rows, row += n) {
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
      to = std::copy_n(order.begin(), k, to);
    }
  });
  return {gather(x, ids), ids};
}

std::vector<Op> reduction_ops() {
  using Some = std::optional<Axes>;  // without a value: all axes
  const auto axes_of = [](const char* op, const Tensor& x, const Some& axes) {
    return axes ? *axes : all_axes(op, x);
  };
  return {
      {"sum",
       "y = sum(x) over all or some axes",
       {"dx = dy, repeated along the axes"},
       [=](const Tensor& x, const Some& axes, bool keep) {
         return sum(x, axes_of("sum", x, axes), keep);
       },
       {"x", {"axes", "all"}, {"keep", false}}},
      {"mean",
       "y = sum(x) / n, where n is the number of summed elements",
       {"dx = dy / n, repeated along the axes"},
       [=](const Tensor& x, const Some& axes, bool keep) {
         return mean(x, axes_of("mean", x, axes), keep);
       },
       {"x", {"axes", "all"}, {"keep", false}}},
      {"amax",
       "y = max(x) over all or some axes",
       {"dx = dy / k where x = y, 0 elsewhere; k is the number of elements equal to y"},
       [=](const Tensor& x, const Some& axes, bool keep) {
         return amax(x, axes_of("amax", x, axes), keep);
       },
       {"x", {"axes", "all"}, {"keep", false}}},
      {"var",
       "y = sum((x - mean(x))^2) / (n - correction)",
       {"dx = dy 2 (x - mean(x)) / (n - correction)"},
       [=](const Tensor& x, const Some& axes, bool keep, int correction) {
         return var(x, axes_of("var", x, axes), keep, correction);
       },
       {"x", {"axes", "all"}, {"keep", false}, {"correction", 0}}},
      {"sum_to",
       "y = sum(x) over the axes along which y would be broadcast to the shape of x",
       {"dx = dy, broadcast to x's shape"},
       sum_to,
       {"x", "shape"}},
      {"cumsum",
       "y_i = sum of x_j over j <= i (or j >= i) along an axis",
       {"dx = cumsum(dy) in the other direction"},
       cumsum,
       {"x", {"axis", -1}, {"back", false}}},
      {"argmax",
       "y = the index of the first maximum along an axis",
       {},
       argmax,
       {"x", {"axis", -1}, {"keep", false}}},
      {"top_k",
       "y = the k largest elements along the last axis, or their indices (ids)",
       {"dx = dy at the ids, 0 elsewhere"},
       [](const Tensor& x, Index k, TopKPart part) {
         const TopK top = top_k(x, k);
         return part == TopKPart::ids ? top.ids : top.values;
       },
       {"x", "k", {"part", "values"}}},
  };
}

}  // namespace tapehead
