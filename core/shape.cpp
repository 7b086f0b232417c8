#include "shape.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {

Shape::Shape(const Index* first, const Index* last) {
  if (last - first > max_rank)
    throw ShapeError("shape: {} axes, but at most {} are supported", last - first, max_rank);
  for (; first != last; ++first) push_back(*first);
}

void Shape::push_back(Index size) {
  if (rank_ == max_rank) throw ShapeError("shape: at most {} axes are supported", max_rank);
  if (size < 0) throw ShapeError("shape: size {} is negative", size);
  sizes_[rank_++] = size;
}

Index Shape::size() const {
  std::uint64_t n = 1;
  double about = 1;  // approximately n, without overflow
  for (const Index size : *this) {
    n *= static_cast<std::uint64_t>(size);
    about *= static_cast<double>(size);
  }
  return about < 0x1p60 ? static_cast<Index>(n) : zero_or_refuse();  // at most 8 bytes per element
}

/// Returns 0 if one of the sizes is 0, otherwise throws. Called when the product of the sizes may
/// overflow.
Index Shape::zero_or_refuse() const {
  if (std::find(begin(), end(), 0) != end()) return 0;
  throw ShapeError("shape: {} has more elements than can be addressed", *this);
}

void Shape::refuse_axis(int axis) const {
  throw ShapeError("shape: axis {} is out of range for {}, which has {}", axis, *this,
                   rank_ == 1 ? "1 axis" : fmt::format("{} axes", rank_));
}

Shape Shape::slice(int first, int last) const {
  if (first < 0) first += rank_;
  if (last < 0) last += rank_;
  return Shape(begin() + first, begin() + std::max(first, last));
}

Shape Shape::with(int axis, Index size) const {
  Shape shape = *this;
  shape[axis] = size;
  return shape;
}

bool operator==(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool broadcasts_to(const Shape& shape, const Shape& to) {
  if (shape.rank() > to.rank()) return false;
  for (int axis = 1; axis <= shape.rank(); ++axis)
    if (shape[-axis] != 1 && shape[-axis] != to[-axis]) return false;
  return true;
}

Shape joined(Shape a, const Shape& b) {
  for (const Index size : b) a.push_back(size);
  return a;
}

std::string to_string(const Shape& shape) {
  return fmt::format("({})", fmt::join(shape.begin(), shape.end(), ", "));
}

std::vector<Index> index_of(const Shape& shape, Index element) {
  std::vector<Index> index(shape.rank());
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

std::string indices_of(const Shape& shape, Index element) {
  return fmt::format("[{}]", fmt::join(index_of(shape, element), ", "));
}

int axis_of(const char* op, const Shape& shape, int axis) {
  if (axis < -shape.rank() || axis >= shape.rank())
    throw ShapeError("{}: axis {} is out of range for shape {}, which has {} {}", op, axis, shape,
                     shape.rank(), shape.rank() == 1 ? "axis" : "axes");
  return axis < 0 ? axis + shape.rank() : axis;
}

Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b) {
  Shape y = a.rank() >= b.rank() ? a : b;
  const Shape& other = a.rank() >= b.rank() ? b : a;
  for (int axis = 1; axis <= other.rank(); ++axis) {
    const Index size = other[-axis];
    if (y[-axis] == 1) y[-axis] = size;
    if (size != 1 && size != y[-axis])
      throw ShapeError("{}: {} and {} don't broadcast: sizes {} and {} at axis -{}", op, a, b,
                       a[-axis], b[-axis], axis);
  }
  return y;
}

Shape broadcast_strides(const Shape& shape, const Shape& target) {
  Shape strides;
  for (int axis = 0; axis < target.rank(); ++axis) strides.push_back(0);
  Index stride = 1;
  for (int axis = 1; axis <= shape.rank(); ++axis) {
    if (shape[-axis] != 1) strides[-axis] = stride;
    stride *= shape[-axis];
  }
  return strides;
}

}  // namespace tapehead
