#pragma once
#include "error.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace tapehead {

using Index = std::int64_t;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The sizes of a tensor's axes, outermost first, stored without allocation. Rank 0 is a scalar.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;
  Shape(std::initializer_list<Index> sizes) : Shape(sizes.begin(), sizes.end()) {}
  explicit Shape(const std::vector<Index>& sizes)
      : Shape(sizes.data(), sizes.data() + sizes.size()) {}
  /// Throws ShapeError if the rank is above max_rank or a size is negative.
  Shape(const Index* first, const Index* last);

  int rank() const { return rank_; }
  /// Returns the number of elements: the product of all sizes, 1 for a scalar. Throws ShapeError if
  /// this number is too large for a tensor.
  Index size() const;

  /// Returns the size of an axis; -1 is the last. Throws ShapeError if there is no such axis.
  Index operator[](int axis) const { return sizes_[slot(axis)]; }
  Index& operator[](int axis) { return sizes_[slot(axis)]; }

  const Index* begin() const { return sizes_.data(); }
  const Index* end() const { return sizes_.data() + rank_; }

  Shape slice(int first, int last) const;  ///< axes `first` to `last` - 1; negative: from the end
  Shape with(int axis, Index size) const;  ///< a copy with the size of `axis` replaced
  void push_back(Index size);

  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  std::size_t slot(int axis) const {
    const auto found = static_cast<std::size_t>(axis < 0 ? axis + rank_ : axis);
    if (found >= static_cast<std::size_t>(rank_)) refuse_axis(axis);
    return found;
  }
  [[noreturn]] void refuse_axis(int axis) const;
  Index zero_or_refuse() const;

  std::array<Index, max_rank> sizes_{};
  int rank_ = 0;
};

/// Returns whether a tensor of this shape can be broadcast to the shape `to`.
bool broadcasts_to(const Shape& shape, const Shape& to);
/// Returns the axes of a followed by the axes of b.
Shape joined(Shape a, const Shape& b);
/// Returns `(2, 3)`, or `()` for a scalar.
std::string to_string(const Shape& shape);

/// Returns the index along each axis of the element at a row-major position: element 5 of (2, 3) is
/// at (1, 2).
std::vector<Index> index_of(const Shape& shape, Index element);
/// Returns the same indices as text: `[0, 1, 3]`, or `[]` for a scalar.
std::string indices_of(const Shape& shape, Index element);

/// Converts a possibly negative `axis` to one from 0 on. Throws ShapeError if the shape has no such
/// axis.
int axis_of(const char* op, const Shape& shape, int axis);

/// Returns the common shape under NumPy's broadcasting rules: shapes are aligned at their last
/// axes, and each pair of sizes must be equal or contain a 1. Otherwise throws ShapeError.
Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b);

/// Returns the strides, in elements, for reading a row-major tensor of `shape` as a tensor of the
/// shape `target`. `shape` must broadcast to `target`. Broadcast axes have stride 0.
Shape broadcast_strides(const Shape& shape, const Shape& target);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::Shape> : tapehead::TextFormatter<tapehead::Shape> {};
