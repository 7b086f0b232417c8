// Reductions, layout and constants.
#include "array.hpp"

#if __has_include(<xtensor/views/xstrided_view.hpp>)
#include <xtensor/misc/xpad.hpp>
#include <xtensor/views/xstrided_view.hpp>
#else
#include <xtensor/xpad.hpp>
#include <xtensor/xstrided_view.hpp>
#endif

#include <algorithm>
#include <numeric>

namespace tapehead {

namespace reference {

Array swapped(const Array& a, std::size_t i, std::size_t j) {
  Sizes order(a.dimension());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[i], order[j]);
  return xt::transpose(a, order);
}
Array part(const Array& a, std::size_t axis, Index begin, Index end) {
  xt::xstrided_slice_vector parts(a.dimension(), xt::all());
  parts[axis] = xt::range(begin, end);
  return xt::strided_view(a, parts);
}
Array joined(const std::vector<Array>& parts, std::size_t axis) {
  Array y = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i)
    y = Array(xt::concatenate(xt::xtuple(y, parts[i]), axis));
  return y;
}
Array rows_by_id(const Array& table, const Array& ids) {
  const std::vector<Index> rows(ids.begin(), ids.end());
  Sizes shape(ids.shape().begin(), ids.shape().end());
  shape.insert(shape.end(), table.shape().begin() + 1, table.shape().end());
  return xt::reshape_view(Array(xt::view(table, xt::keep(rows))), shape);
}

namespace {

using List = Attribute::List;
using Some = std::optional<Axes>;  // empty: all axes

enum class TopPart { values, ids };

std::size_t last(const Tensor& x) { return front(x, -1); }

// ---- reduction

/// Returns sorted axes counted from the front, as reducers need them.
Sizes from_front(const Tensor& x, const Some& axes) {
  Sizes all(axes ? axes->size() : x.rank());
  std::iota(all.begin(), all.end(), 0);
  if (axes)
    std::transform(axes->begin(), axes->end(), all.begin(),
                   [&](int axis) { return front(x, axis); });
  std::sort(all.begin(), all.end());
  return all;
}
/// Returns the number of elements that are reduced to one.
double count(const Tensor& x, const Sizes& axes) {
  double n = 1;
  for (const std::size_t axis : axes) n *= static_cast<double>(x.shape()[static_cast<int>(axis)]);
  return n;
}

using Reduce = Array (*)(const Tensor& x, const Sizes& axes);  // reduced axes keep size 1

Op reduction(const char* name, Reduce reduce) {
  return define(name, [=](const Tensor& x, const Some& axes, bool keep) {
    const Sizes over = from_front(x, axes);
    const Array y = reduce(x, over);
    return like(x, keep ? y : Array(xt::squeeze(y, over)));
  });
}

Array sum_over(const Tensor& x, const Sizes& axes) {
  return xt::sum(array(x), axes, xt::keep_dims);
}
Array mean_over(const Tensor& x, const Sizes& axes) { return sum_over(x, axes) / count(x, axes); }
Array amax_over(const Tensor& x, const Sizes& axes) { return largest(array(x), axes); }

Tensor variance(const Tensor& x, const Some& axes, bool keep, int correction) {
  const Sizes over = from_front(x, axes);
  const Array squares = xt::square(array(x) - mean_over(x, over));
  const Array y =
      xt::sum(squares, over, xt::keep_dims) / std::max(count(x, over) - correction, 0.0);
  return like(x, keep ? y : Array(xt::squeeze(y, over)));
}

Tensor summed_to(const Tensor& x, const Shape& shape) {
  const int added = x.rank() - shape.rank();
  Sizes axes;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (axis < added || shape[axis - added] == 1) axes.push_back(axis);
  return like(x, reshaped(sum_over(x, axes), shape));
}

// y_i = sum_j [j <= i] x_j, or [j >= i]. Selects terms instead of multiplying by 0, because others
// may be infinite or NaN.
Tensor running_sum(const Tensor& x, int axis, bool back) {
  const Array rows = swapped(array(x), front(x, axis), last(x));  // (..., j)
  const Index n = x.dim(axis);
  const Array before = range(n) <= column(n), after = range(n) >= column(n);  // (i, j)
  const Array terms = xt::where(xt::not_equal(back ? after : before, 0),
                                xt::expand_dims(rows, rows.dimension() - 1), 0);
  const Array sums = xt::sum(terms, Sizes{rows.dimension()});
  return like(x, swapped(sums, front(x, axis), last(x)));
}

// Returns the first index of the maximum, or of NaN.
Tensor first_largest(const Tensor& x, int axis, bool keep) {
  const Array a = swapped(array(x), front(x, axis), last(x));
  const Array best = largest(a, {last(x)});
  const Array is_best = xt::equal(a, best) || (xt::isnan(a) && xt::isnan(best));
  const Array place = xt::where(xt::cast<bool>(is_best), range(x.dim(axis)), infinity);
  const Array y = swapped(-largest(-place, {last(x)}), front(x, axis), last(x));
  return as(DType::i32, keep ? y : Array(xt::squeeze(y, Sizes{front(x, axis)})));
}

Tensor by_places(const Tensor& x, const Tensor& ids, int axis);

// Like argsort(-x, kind="stable") in NumPy, but with NaN first.
Tensor largest_k(const Tensor& x, Index k, TopPart which) {
  const Index n = x.dim(-1);
  const Array rows = reshaped(array(x), {x.shape().slice(0, -1).size(), n});
  Array ids = xt::zeros<double>(sizes({static_cast<Index>(rows.shape(0)), k}));
  for (std::size_t row = 0; row < rows.shape(0); ++row) {
    const Array key = xt::where(xt::isnan(xt::row(rows, row)), infinity, xt::row(rows, row));
    const Array nan = xt::isnan(xt::row(rows, row));
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::make_pair(nan(a), key(a)) > std::make_pair(nan(b), key(b));
    });
    for (Index i = 0; i < k; ++i) ids(row, i) = static_cast<double>(order[i]);
  }
  const Tensor places = as(DType::i32, reshaped(ids, x.shape().with(-1, k)));
  return which == TopPart::ids ? places : by_places(x, places, -1);
}

// ---- layout

Tensor in_shape(const Tensor& x, const List& shape) {
  List found = shape;
  const auto open = std::find(found.begin(), found.end(), -1);
  if (open != found.end()) {
    *open = 1;
    *open = x.size() / Shape(found).size();
  }
  return like(x, reshaped(array(x), Shape(found)));
}
Tensor permuted(const Tensor& x, const Axes& order) {
  Sizes axes;
  for (const int axis : order) axes.push_back(front(x, axis));
  return like(x, xt::transpose(array(x), axes));
}
Tensor transposed(const Tensor& x, int a, int b) {
  return like(x, swapped(array(x), front(x, a), front(x, b)));
}
Tensor broadcast_as(const Tensor& x, const Shape& shape) {
  return like(x, xt::broadcast(array(x), sizes(shape)));
}

Tensor sliced(const Tensor& x, int axis, Index begin, std::optional<Index> end) {
  const Index n = x.dim(axis), to = end.value_or(n);
  return like(x,
              part(array(x), front(x, axis), begin < 0 ? begin + n : begin, to < 0 ? to + n : to));
}
Tensor padded(const Tensor& x, int axis, Index before, Index after) {
  std::vector<Sizes> widths(x.rank(), Sizes{0, 0});
  widths[front(x, axis)] = sizes({before, after});
  return like(x, xt::pad(array(x), widths));
}

Tensor concatenated(const std::vector<Tensor>& parts, int axis) {
  std::vector<Array> arrays;
  for (const Tensor& each : parts) arrays.push_back(array(each));
  return like(parts[0], joined(arrays, front(parts[0], axis)));
}
Tensor stacked(const std::vector<Tensor>& parts, int axis) {
  const int at = axis < 0 ? axis + parts[0].rank() + 1 : axis;
  std::vector<Array> rows;
  for (const Tensor& each : parts) rows.push_back(xt::expand_dims(array(each), at));
  return like(parts[0], joined(rows, at));
}
Tensor part_of(const Tensor& x, Index parts, int axis, Index which) {
  Array a = array(x);
  return like(x, xt::split(a, parts, front(x, axis))[which]);
}

Tensor rows_of(const Tensor& table, const Tensor& ids) {
  return like(table, rows_by_id(array(table), array(ids)));
}
// Like np.add.at(zeros, ids, x).
Tensor added_to_rows(const Tensor& x, const Tensor& ids, Index rows) {
  const Shape row = x.shape().slice(ids.rank(), x.rank());
  const Array from = reshaped(array(x), {ids.size(), row.size()});
  Array y = xt::zeros<double>(sizes({rows, row.size()}));
  for (Index i = 0; i < ids.size(); ++i) xt::row(y, static_cast<Index>(ids(i))) += xt::row(from, i);
  Shape shape{rows};
  for (const Index size : row) shape.push_back(size);
  return like(x, reshaped(y, shape));
}
// Like np.take_along_axis(x, ids, axis).
Tensor by_places(const Tensor& x, const Tensor& ids, int axis) {
  const Array from = array(x), places = array(ids);
  const std::size_t along = front(x, axis);
  Array y = places;
  for (std::size_t i = 0; i < y.size(); ++i) {
    auto at = xt::unravel_index(static_cast<std::ptrdiff_t>(i), places.shape());
    at[along] = static_cast<std::ptrdiff_t>(places.flat(i));
    y.flat(i) = from.element(at.begin(), at.end());
  }
  return like(x, y);
}

// ---- constants

Tensor counted(Index n) { return as(DType::f64, range(n)); }
Tensor one_hot_rows(const Tensor& ids, Index classes) {
  const auto after = static_cast<std::size_t>(ids.rank());
  return as(DType::f64, xt::equal(xt::expand_dims(array(ids), after), range(classes)));
}
Tensor lower(Index rows, Index columns, Index diagonal) {
  return as(DType::i32, range(columns) <= column(rows) + diagonal);
}
Tensor upper(Index rows, Index columns, Index diagonal) {
  return as(DType::i32, range(columns) >= column(rows) + diagonal);
}

}  // namespace
}  // namespace reference

template <>
struct EnumNames<reference::TopPart> {
  using TopPart = reference::TopPart;
  static constexpr Choice<TopPart> all[] = {{"values", TopPart::values}, {"ids", TopPart::ids}};
};

namespace reference {

std::vector<Op> layout_definitions() {
  return {
      reduction("sum", sum_over),
      reduction("mean", mean_over),
      reduction("amax", amax_over),
      define("var", variance),
      define("sum_to", summed_to),
      define("cumsum", running_sum),
      define("argmax", first_largest),
      define("top_k", largest_k),
      define("reshape", in_shape),
      define("permute", permuted),
      define("transpose", transposed),
      define("broadcast_to", broadcast_as),
      define("slice", sliced),
      define("pad", padded),
      define("concat", concatenated),
      define("stack", stacked),
      define("split", part_of),
      define("gather_rows", rows_of),
      define("scatter_rows", added_to_rows),
      define("gather", by_places),
      define("arange", counted),
      define("one_hot", one_hot_rows),
      define("tril_mask", lower),
      define("triu_mask", upper),
  };
}

}  // namespace reference
}  // namespace tapehead
