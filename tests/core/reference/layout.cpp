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

namespace tapehead::reference {
namespace {

Axes all(const Value& x) {
  Axes axes(x.tensor.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}
Sizes fronts(const Value& x, const Axes& axes) {
  Sizes from_front;
  for (const int axis : axes) from_front.push_back(front(x, axis));
  return from_front;
}
/// The same in order, as reducers want them.
Sizes along(const Value& x, const Axes& axes) {
  Sizes sorted = fronts(x, axes);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// y, whose reduced axes have size 1, as a result without them unless they are kept.
Value reduced(const Value& x, const Array& y, const Axes& axes, bool keep) {
  const Sizes gone = fronts(x, axes);
  Sizes left;
  for (std::size_t axis = 0; axis < y.dimension(); ++axis)
    if (keep || std::find(gone.begin(), gone.end(), axis) == gone.end())
      left.push_back(y.shape()[axis]);
  return like(x, xt::reshape_view(y, left));
}

/// How many elements become one.
double count(const Value& x, const Axes& axes) {
  double n = 1;
  for (const int axis : axes) n *= static_cast<double>(x.tensor.dim(axis));
  return n;
}

}  // namespace

// ---- reduction

Value sum(const Value& x) { return sum(x, all(x)); }
Value sum(const Value& x, const Axes& axes, bool keep) {
  return reduced(x, xt::sum(array(x), along(x, axes), xt::keep_dims), axes, keep);
}

Value mean(const Value& x) { return mean(x, all(x)); }
Value mean(const Value& x, const Axes& axes, bool keep) {
  const Array total = xt::sum(array(x), along(x, axes), xt::keep_dims);
  return reduced(x, total / count(x, axes), axes, keep);
}

Value amax(const Value& x) { return amax(x, all(x)); }
Value amax(const Value& x, const Axes& axes, bool keep) {
  return reduced(x, largest(array(x), along(x, axes)), axes, keep);
}

Value var(const Value& x) { return var(x, all(x)); }
Value var(const Value& x, const Axes& axes, bool keep, int correction) {
  const Sizes over = along(x, axes);
  const Array a = array(x);
  const Array mean = xt::sum(a, over, xt::keep_dims) / count(x, axes);
  const Array squares = xt::sum(xt::square(a - mean), over, xt::keep_dims);
  return reduced(x, squares / std::max(count(x, axes) - correction, 0.0), axes, keep);
}

Value sum_to(const Value& x, const Shape& shape) {
  const int added = x.tensor.rank() - shape.rank();
  Axes axes;
  for (int axis = 0; axis < x.tensor.rank(); ++axis)
    if (axis < added || shape[axis - added] == 1) axes.push_back(axis);
  return reshape(sum(x, axes), shape);
}

// y_i = sum_j [j <= i] x_j, or [j >= i], as a product with a triangle of ones; a term that isn't
// there may be infinite or NaN.
Value cumsum(const Value& x, int axis, bool back) {
  const Array last = array(transpose(x, axis, -1));  // (..., j)
  const std::size_t rank = last.dimension();
  const Index n = x.tensor.dim(axis);
  const Array triangle = array(back ? triu_mask(n, n) : tril_mask(n, n));  // (i, j)
  const Array terms = xt::where(xt::not_equal(triangle, 0), xt::expand_dims(last, rank - 1), 0);
  return transpose(like(x, xt::sum(terms, Sizes{rank})), axis, -1);
}

// The first place that is the largest, or NaN if that is.
Value argmax(const Value& x, int axis, bool keep) {
  const Sizes along{front(x, axis)};
  const Array a = array(transpose(x, axis, -1));
  const Sizes last{a.dimension() - 1};
  const Array best = largest(a, last);
  const Array is_best = xt::equal(a, best) || (xt::isnan(a) && xt::isnan(best));
  const Array place = xt::where(xt::cast<bool>(is_best), range(x.tensor.dim(axis)), infinity);
  const Array first = -largest(-place, last);
  const Value y = transpose(as(DType::i32, first), axis, -1);
  return keep ? y : as(DType::i32, xt::squeeze(array(y), along));
}

// As NumPy's argsort(-x, kind="stable"), with NaN first.
TopK top_k(const Value& x, Index k) {
  const Index n = x.tensor.dim(-1);
  const Array rows = xt::reshape_view(array(x), sizes({x.tensor.shape().slice(0, -1).size(), n}));
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
  const Value places = reshape(as(DType::i32, ids), x.tensor.shape().with(-1, k));
  return {gather(x, places), places};
}

// ---- layout

Value reshape(const Value& x, const Shape& shape) {
  return like(x, xt::reshape_view(array(x), sizes(shape)));
}
Value reshape(const Value& x, const std::vector<Index>& shape) {
  std::vector<Index> found = shape;
  const auto open = std::find(found.begin(), found.end(), -1);
  if (open != found.end()) {
    *open = 1;
    *open = x.tensor.size() / Shape(found).size();
  }
  return reshape(x, Shape(found));
}
Value permute(const Value& x, const Axes& order) {
  return like(x, xt::transpose(array(x), fronts(x, order)));
}
Value transpose(const Value& x, int a, int b) {
  Axes order = all(x);
  std::swap(order[front(x, a)], order[front(x, b)]);
  return permute(x, order);
}
Value broadcast_to(const Value& x, const Shape& shape) {
  return like(x, xt::broadcast(array(x), sizes(shape)));
}

Value slice(const Value& x, int axis, Index begin, Index end) {
  const Index n = x.tensor.dim(axis);
  xt::xstrided_slice_vector parts(x.tensor.rank(), xt::all());
  parts[front(x, axis)] = xt::range(begin < 0 ? begin + n : begin, end < 0 ? end + n : end);
  return like(x, xt::strided_view(array(x), parts));
}
Value pad(const Value& x, int axis, Index before, Index after) {
  std::vector<Sizes> widths(x.tensor.rank(), Sizes{0, 0});
  widths[front(x, axis)] = sizes({before, after});
  return like(x, xt::pad(array(x), widths));
}

Value concat(const std::vector<Value>& parts, int axis) {
  Array y = array(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i)
    y = Array(xt::concatenate(xt::xtuple(y, array(parts[i])), front(parts[0], axis)));
  return like(parts[0], y);
}
Value stack(const std::vector<Value>& parts, int axis) {
  const int at = axis < 0 ? axis + parts[0].tensor.rank() + 1 : axis;
  std::vector<Value> rows;
  for (const Value& part : parts) rows.push_back(like(part, xt::expand_dims(array(part), at)));
  return concat(rows, at);
}
std::vector<Value> split(const Value& x, Index parts, int axis) {
  Array a = array(x);
  std::vector<Value> pieces;
  for (const auto& piece : xt::split(a, parts, front(x, axis))) pieces.push_back(like(x, piece));
  return pieces;
}

// NumPy's table[ids], and its np.add.at(zeros, ids, x).
Value gather_rows(const Value& table, const Value& ids) {
  const std::vector<double> rows = ids.tensor.values();
  Sizes shape = sizes(table.tensor.shape());
  shape.erase(shape.begin());
  shape.insert(shape.begin(), ids.tensor.shape().begin(), ids.tensor.shape().end());
  const Array picked =
      xt::view(array(table), xt::keep(std::vector<Index>(rows.begin(), rows.end())));
  return like(table, xt::reshape_view(picked, shape));
}
Value scatter_rows(const Value& x, const Value& ids, Index rows) {
  const Shape row = x.tensor.shape().slice(ids.tensor.rank(), x.tensor.rank());
  const Array from = xt::reshape_view(array(x), sizes({ids.tensor.size(), row.size()}));
  Array y = xt::zeros<double>(sizes({rows, row.size()}));
  for (Index i = 0; i < ids.tensor.size(); ++i)
    xt::row(y, static_cast<Index>(ids.tensor(i))) += xt::row(from, i);
  Shape shape{rows};
  for (const Index size : row) shape.push_back(size);
  return like(x, xt::reshape_view(y, sizes(shape)));
}

// NumPy's take_along_axis(x, ids, axis).
Value gather(const Value& x, const Value& ids, int axis) {
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

Value arange(Index n, DType dtype) { return as(dtype, range(n)); }
Value one_hot(const Value& ids, Index classes, DType dtype) {
  const auto last = static_cast<std::size_t>(ids.tensor.rank());
  return as(dtype, xt::equal(xt::expand_dims(array(ids), last), range(classes)));
}
Value tril_mask(Index rows, Index columns, Index diagonal) {
  return as(DType::i32, range(columns) <= column(rows) + diagonal);
}
Value triu_mask(Index rows, Index columns, Index diagonal) {
  return as(DType::i32, range(columns) >= column(rows) + diagonal);
}

}  // namespace tapehead::reference
