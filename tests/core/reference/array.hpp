#pragma once
// Between the tensors that the definitions take and return and the xtensor arrays that they compute
// with. Reducers are never kept: an `auto` would hold a lazy expression. A definition calls no op.
#include "../../../core/array.hpp"
#include "reference.hpp"

#if __has_include(<xtensor/views/xview.hpp>)
#include <xtensor/misc/xmanipulation.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xview.hpp>
#endif

#include <limits>

namespace tapehead::reference {

using Array = xt::xarray<double>;
using Sizes = std::vector<std::size_t>;  // of axes, or the axes themselves

/// The elements of x, of any type.
Array array(const Tensor& x);
/// A tensor of a type, or of x's.
Tensor as(DType dtype, const Array& y);
inline Tensor like(const Tensor& x, const Array& y) { return as(x.dtype(), y); }

inline Sizes sizes(const Shape& shape) { return Sizes(shape.begin(), shape.end()); }
/// An axis counted from the front.
inline std::size_t front(const Tensor& x, int axis) {
  return static_cast<std::size_t>(axis_of("reference", x.shape(), axis));
}

/// 0, 1, ..., n - 1, as one axis; or as columns of one element.
inline Array range(Index n) { return xt::arange<double>(static_cast<double>(n)); }
inline Array column(Index n) { return xt::expand_dims(range(n), 1); }

inline Array reshaped(const Array& a, const Shape& shape) {
  return xt::reshape_view(a, sizes(shape));
}
/// Two axes swapped.
Array swapped(const Array& a, std::size_t i, std::size_t j);
/// Elements begin to end along an axis; and parts one after the other along an axis.
Array part(const Array& a, std::size_t axis, Index begin, Index end);
Array joined(const std::vector<Array>& parts, std::size_t axis);
/// NumPy's table[ids].
Array rows_by_id(const Array& table, const Array& ids);

/// The largest along some axes, which stay with size 1; a NaN is passed on. (xt::amax begins with
/// the lowest finite number, and drops a NaN before a number.)
inline Array largest(const Array& a, const Sizes& axes) {
  const auto larger = [](double x, double y) { return x > y || x != x ? x : y; };
  const auto fold = xt::make_xreducer_functor(larger, xt::const_value<double>(-infinity));
  return xt::reduce(fold, a, axes, xt::keep_dims);
}

/// a (..., m, k) times b (..., k, n), matrix by matrix, by xtensor-blas.
Array product(const Array& a, const Array& b);
Array softmax_along(const Array& a, std::size_t axis);

}  // namespace tapehead::reference
