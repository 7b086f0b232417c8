// Ops that rearrange elements. They accept every element type.
#include "../kernels/tuning.hpp"
#include "../ops.hpp"
#include "families.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace tapehead {
namespace {

/// One of the nested loops of a copy of x to y: the number of iterations, and the strides in y and
/// x.
struct Loop {
  Index n, y, x;
};

template <class T>
void copy_matrix(T* y, const T* x, const Loop& rows, const Loop& columns) {
  if (columns.x <= 1) {
    for (Index i = 0; i < rows.n; ++i, y += rows.y, x += rows.x)
      columns.x == 1 ? std::copy_n(x, columns.n, y) : std::fill_n(y, columns.n, *x);
    return;
  }
  constexpr Index tile = tuning::copy_tile;  // one tile of x and one of y fit in the cache together
  for (Index top = 0; top < rows.n; top += tile)
    for (Index left = 0; left < columns.n; left += tile)
      for (Index i = top; i < std::min(top + tile, rows.n); ++i)
        for (Index j = left; j < std::min(left + tile, columns.n); ++j)
          y[i * rows.y + j] = x[i * rows.x + j * columns.x];
}

template <class T>
void copy_nested(T* y, const T* x, const Loop* first, const Loop* last) {
  if (first + 1 == last) return copy_matrix(y, x, *first, *last);
  for (Index i = 0; i < first->n; ++i)
    copy_nested(y + i * first->y, x + i * first->x, first + 1, last);
}

/// Copies elements of x to y, which is contiguous and has the shape `shape`. `strides` are the
/// strides of x in elements, 0 along a broadcast axis.
template <class T>
void strided_copy(T* y, const T* x, const Shape& shape, const Shape& strides) {
  if (shape.size() == 0) return;
  const Shape ys = broadcast_strides(shape, shape);
  std::array<Loop, Shape::max_rank + 2> loops{Loop{1, 0, 0}, Loop{1, 0, 0}};
  Loop* last = &loops[1];
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Loop loop{shape[axis], ys[axis], strides[axis]};
    if (loop.n == 1) continue;
    if (last->y == loop.y * loop.n && last->x == loop.x * loop.n)
      *last = {last->n * loop.n, loop.y, loop.x};  // merges two loops
    else
      *++last = loop;
  }
  // The last loop runs over contiguous elements of y. If a loop runs over contiguous elements of x,
  // it becomes the second last.
  Loop* along_x = std::find_if(loops.data(), last, [](const Loop& loop) { return loop.x == 1; });
  if (along_x != last) std::rotate(along_x, along_x + 1, last);
  copy_nested(y, x, loops.data(), last);
}

/// Returns a tensor of this shape with elements of x. `strides` are the strides for reading x, in
/// elements.
Tensor strided(const Tensor& x, const Shape& shape, const Shape& strides) {
  Tensor y = Tensor::empty(shape, x.dtype());
  with_elements(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    strided_copy(y.mutable_data<T>(), x.data<T>(), shape, strides);
  });
  return y;
}

/// Copies y[..., y_begin + i, ...] = x[..., x_begin + i, ...] along an axis, for i < n.
void copy_along(int axis, Index n, Tensor& y, Index y_begin, const Tensor& x, Index x_begin) {
  const Index rows = x.shape().slice(0, axis).size();
  const Index step = x.shape().slice(axis + 1, x.rank()).size();
  with_elements(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = y.mutable_data<T>() + y_begin * step;
    const T* from = x.data<T>() + x_begin * step;
    for (Index i = 0; i < rows; ++i, to += y.dim(axis) * step, from += x.dim(axis) * step)
      std::copy_n(from, n * step, to);
  });
}

void check_parts(const char* op, const std::vector<Tensor>& parts) {
  if (parts.empty()) throw ValueError("{}: got no tensors, expected at least one", op);
  for (const Tensor& part : parts) check_same_type(op, parts[0], part);
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  check_present("reshape", x);
  Tensor y = x.viewed_as(shape);
  return record("reshape", y, {x},
                [from = x.shape()](const Tensor& dy) { return Grads{reshape(dy, from)}; });
}

Tensor reshape(const Tensor& x, const std::vector<Index>& sizes) {
  check_present("reshape", x);
  std::vector<Index> found = sizes;
  const auto open = std::find(found.begin(), found.end(), -1);
  if (open != found.end()) {
    *open = 1;
    const bool single = std::find(open, found.end(), -1) == found.end();
    const Index others = single ? Shape(found).size() : 0;
    if (others == 0 || x.size() % others != 0)
      throw ShapeError(
          "reshape: {} to ({}): one size may be -1, and the product of the others must divide {}",
          x.shape(), fmt::join(sizes, ", "), x.size());
    *open = x.size() / others;
  }
  return reshape(x, Shape(found));
}

Tensor permute(const Tensor& x, const Axes& order) {
  check_present("permute", x);
  Axes axes, inverse(x.rank());
  std::iota(inverse.begin(), inverse.end(), 0);
  for (int axis : order) axes.push_back(axis_of("permute", x.shape(), axis));
  if (!std::is_permutation(axes.begin(), axes.end(), inverse.begin(), inverse.end()))
    throw ShapeError("permute: order ({}) for {}: it must list each of the {} {} once",
                     fmt::join(order, ", "), x.shape(), x.rank(), x.rank() == 1 ? "axis" : "axes");
  const Shape strides = broadcast_strides(x.shape(), x.shape());
  Shape shape, from;
  for (int axis : axes) {
    inverse[axis] = shape.rank();
    shape.push_back(x.dim(axis));
    from.push_back(strides[axis]);
  }
  Tensor y = strided(x, shape, from);
  return record({"permute", {{"order", axes}}}, y, {x},
                [inverse](const Tensor& dy) { return Grads{permute(dy, inverse)}; });
}

Tensor transpose(const Tensor& x, int a, int b) {
  check_present("transpose", x);
  Axes order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis_of("transpose", x.shape(), a)], order[axis_of("transpose", x.shape(), b)]);
  return permute(x, order);
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  check_present("broadcast_to", x);
  if (broadcast_shapes("broadcast_to", x.shape(), shape) != shape)
    throw ShapeError("broadcast_to: {} doesn't broadcast to {}", x.shape(), shape);
  Tensor y = strided(x, shape, broadcast_strides(x.shape(), shape));
  return record("broadcast_to", y, {x}, [](const Tensor& dy) { return Grads{dy}; });
}

Tensor slice(const Tensor& x, int axis, Index begin, Index end) {
  check_present("slice", x);
  axis = axis_of("slice", x.shape(), axis);
  const Index n = x.dim(axis);
  const Index first = begin < 0 ? begin + n : begin, last = end < 0 ? end + n : end;
  if (first < 0 || last < first || last > n)
    throw ShapeError("slice: begin {}, end {} are out of range for axis {} of size {}", begin, end,
                     axis, n);
  Tensor y = Tensor::empty(x.shape().with(axis, last - first), x.dtype());
  copy_along(axis, last - first, y, 0, x, first);
  return record({"slice", {{"axis", axis}, {"begin", first}, {"end", last}}}, y, {x},
                [=](const Tensor& dy) { return Grads{pad(dy, axis, first, n - last)}; });
}

Tensor pad(const Tensor& x, int axis, Index before, Index after) {
  check_present("pad", x);
  axis = axis_of("pad", x.shape(), axis);
  if (before < 0 || after < 0)
    throw ValueError("pad: before is {} and after is {}, expected at least 0", before, after);
  const Index n = x.dim(axis);
  Tensor y = zeros(x.shape().with(axis, before + n + after), x.dtype());
  copy_along(axis, n, y, before, x, 0);
  return record({"pad", {{"axis", axis}, {"before", before}, {"after", after}}}, y, {x},
                [=](const Tensor& dy) { return Grads{slice(dy, axis, before, before + n)}; });
}

Tensor concat(const std::vector<Tensor>& parts, int axis) {
  check_parts("concat", parts);
  axis = axis_of("concat", parts[0].shape(), axis);
  std::vector<Index> begins;
  Shape shape = parts[0].shape().with(axis, 0);
  for (const Tensor& part : parts) {
    if (part.rank() != shape.rank() || part.shape().with(axis, shape[axis]) != shape)
      throw ShapeError("concat: {} and {}: sizes must be equal except along axis {}",
                       parts[0].shape(), part.shape(), axis);
    begins.push_back(shape[axis]);
    shape[axis] += part.dim(axis);
  }
  Tensor y = Tensor::empty(shape, parts[0].dtype());
  for (std::size_t i = 0; i < parts.size(); ++i)
    copy_along(axis, parts[i].dim(axis), y, begins[i], parts[i], 0);
  begins.push_back(shape[axis]);
  return record({"concat", {{"axis", axis}}}, y, parts, [begins, axis](const Tensor& dy) {
    Grads grads;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i)
      grads.push_back(slice(dy, axis, begins[i], begins[i + 1]));
    return grads;
  });
}

Tensor stack(const std::vector<Tensor>& parts, int axis) {
  check_parts("stack", parts);
  std::vector<Index> sizes(parts[0].shape().begin(), parts[0].shape().end());
  sizes.push_back(1);
  axis = axis_of("stack", Shape(sizes), axis);
  std::rotate(sizes.begin() + axis, sizes.end() - 1, sizes.end());
  std::vector<Tensor> rows;
  for (const Tensor& part : parts) {
    if (part.shape() != parts[0].shape())
      throw ShapeError("stack: {} and {}: all parts must have the same shape", parts[0].shape(),
                       part.shape());
    rows.push_back(reshape(part, Shape(sizes)));
  }
  return concat(rows, axis);
}

std::vector<Tensor> split(const Tensor& x, Index parts, int axis) {
  check_present("split", x);
  axis = axis_of("split", x.shape(), axis);
  const Index n = x.dim(axis);
  if (parts < 1 || n % parts != 0)
    throw ValueError("split: {} parts don't divide axis {} of size {}", parts, axis, n);
  std::vector<Tensor> pieces;
  for (Index i = 0; i < parts; ++i)
    pieces.push_back(slice(x, axis, n / parts * i, n / parts * (i + 1)));
  return pieces;
}

std::vector<Op> layout_ops() {
  return {
      {"reshape",
       "y = the elements of x, in row-major order, in another shape",
       {"dx = dy in x's shape"},
       [](const Tensor& x, const Attribute::List& shape) { return reshape(x, shape); },
       {"x", "shape"}},
      {"permute",
       "axis i of y is axis order[i] of x",
       {"dx = dy with the axes in their original order"},
       permute,
       {"x", "order"}},
      {"transpose",
       "y = x with two axes swapped",
       {"dx = dy with the axes swapped back"},
       transpose,
       {"x", {"a", -2}, {"b", -1}}},
      {"broadcast_to",
       "y = x, repeated along new axes and axes of size 1",
       {"dx = dy summed over these axes"},
       broadcast_to,
       {"x", "shape"}},
      {"slice",
       "y = x[begin:end] along an axis",
       {"dx = dy, padded with zeros"},
       [](const Tensor& x, int axis, Index begin, std::optional<Index> end) {
         check_present("slice", x);
         return slice(x, axis, begin, end ? *end : x.dim(axis_of("slice", x.shape(), axis)));
       },
       {"x", {"axis", 0}, {"begin", 0}, {"end", "all"}}},
      {"pad",
       "y = x, padded with zeros along an axis",
       {"dx = dy without the padding"},
       pad,
       {"x", {"axis", 0}, {"before", 0}, {"after", 0}}},
      {"concat",
       "y = the parts concatenated along an axis",
       {"dpart = the slice of dy for this part"},
       concat,
       {"parts", {"axis", 0}}},
      {"stack",
       "y = the parts stacked along a new axis",
       {"dpart = the slice of dy for this part"},
       stack,
       {"parts", {"axis", 0}}},
      {"split",
       "y_i = part i of x, split into equal parts along an axis",
       {"dx = the sum of the dy_i, padded with zeros"},
       [](const Tensor& x, Index parts, int axis, Index part) {
         const std::vector<Tensor> all_parts = split(x, parts, axis);
         if (part < 0 || part >= parts)
           throw ValueError("split: part is {}, expected 0 to {}", part, parts - 1);
         return all_parts[part];
       },
       {"x", {"parts", 1}, {"axis", 0}, {"part", 0}}},
  };
}

}  // namespace tapehead
