#pragma once
// Conversion between tensors and the xtensor arrays of the definitions. Don't store a reducer in an
// `auto`, which would hold a lazy expression. Definitions don't call ops.
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
using Sizes = std::vector<std::size_t>;  // sizes of axes, or axis numbers

/// Returns the elements of x, of any type.
Array array(const Tensor& x);
/// Returns y as a tensor of a type, or of the type of x.
Tensor as(DType dtype, const Array& y);
inline Tensor like(const Tensor& x, const Array& y) { return as(x.dtype(), y); }

inline Sizes sizes(const Shape& shape) { return Sizes(shape.begin(), shape.end()); }
/// Returns an axis counted from the front.
inline std::size_t front(const Tensor& x, int axis) {
  return static_cast<std::size_t>(axis_of("reference", x.shape(), axis));
}

/// Returns 0, 1, ..., n - 1, along one axis (range) or as a column (column).
inline Array range(Index n) { return xt::arange<double>(static_cast<double>(n)); }
inline Array column(Index n) { return xt::expand_dims(range(n), 1); }

inline Array reshaped(const Array& a, const Shape& shape) {
  return xt::reshape_view(a, sizes(shape));
}
/// Swaps two axes.
Array swapped(const Array& a, std::size_t i, std::size_t j);
/// Slices elements `begin` to `end` along an axis; concatenates parts along an axis.
Array part(const Array& a, std::size_t axis, Index begin, Index end);
Array joined(const std::vector<Array>& parts, std::size_t axis);
/// Computes table[ids] as in NumPy.
Array rows_by_id(const Array& table, const Array& ids);

/// Returns the maximum along some axes, which keep size 1. Propagates NaN, unlike xt::amax, which
/// also begins with the lowest finite number.
inline Array largest(const Array& a, const Sizes& axes) {
  const auto larger = [](double x, double y) { return x > y || x != x ? x : y; };
  const auto fold = xt::make_xreducer_functor(larger, xt::const_value<double>(-infinity));
  return xt::reduce(fold, a, axes, xt::keep_dims);
}

/// Multiplies a (..., m, k) by b (..., k, n), matrix by matrix, with xtensor-blas.
Array product(const Array& a, const Array& b);
Array softmax_along(const Array& a, std::size_t axis);

}  // namespace tapehead::reference
