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

/// The sizes of a tensor's axes, outermost first; rank 0 is a scalar. Lives on the stack.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;
  Shape(std::initializer_list<Index> sizes) : Shape(sizes.begin(), sizes.end()) {}
  explicit Shape(const std::vector<Index>& sizes)
      : Shape(sizes.data(), sizes.data() + sizes.size()) {}
  Shape(const Index* first, const Index* last);  ///< throws ShapeError above max_rank or below 0

  int rank() const { return rank_; }
  /// Number of elements: the product of all sizes, 1 for a scalar. Throws ShapeError if they are
  /// more than can be addressed.
  Index size() const;

  /// The size of an axis; -1 is the last. Throws ShapeError if there is no such axis.
  Index operator[](int axis) const { return sizes_[slot(axis)]; }
  Index& operator[](int axis) { return sizes_[slot(axis)]; }

  const Index* begin() const { return sizes_.data(); }
  const Index* end() const { return sizes_.data() + rank_; }

  Shape slice(int first, int last) const;  ///< axes first to last - 1; negative counts from the end
  Shape with(int axis, Index size) const;  ///< the same with one size replaced
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

/// `(2, 3)`; `()` for a scalar.
/// Whether a tensor of this shape can be broadcast to the other.
bool broadcasts_to(const Shape& shape, const Shape& to);
/// The axes of a, then those of b.
Shape joined(Shape a, const Shape& b);
std::string to_string(const Shape& shape);

/// The index of an element, counted row by row: element 5 of (2, 3) is (1, 2).
std::vector<Index> index_of(const Shape& shape, Index element);
/// An element by its indices: `[0, 1, 3]`; `[]` of a scalar.
std::string indices_of(const Shape& shape, Index element);

/// `axis` counted from the front. Throws ShapeError if the shape has no such axis.
int axis_of(const char* op, const Shape& shape, int axis);

/// NumPy's rule: aligned at the last axis, equal sizes or 1. Throws ShapeError otherwise.
Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b);

/// Row-major strides in elements, as seen through `target`: 0 along each broadcast axis. `shape`
/// must broadcast to `target`.
Shape broadcast_strides(const Shape& shape, const Shape& target);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::Shape> : tapehead::TextFormatter<tapehead::Shape> {};
