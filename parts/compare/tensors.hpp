#pragma once
// Compares two tensors element by element.
#include "../../core/tensor.hpp"
#include "../../train/files/json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tapehead {

/// Returns whether two numbers are bitwise identical, but treats all NaNs as equal. 0 and -0
/// differ, because 1/x distinguishes them.
bool same_bits(double a, double b);

/// Returns the distance of two numbers of a type in units in the last place (ulps): 1 for
/// neighbours, 0 for equal numbers, including 0 and -0. For integers, returns their difference.
/// Returns nothing for a non-finite number, unless both are identical.
std::optional<std::uint64_t> ulps_between(double a, double b, DType dtype);

/// The values of one element in both tensors.
struct ElementPair {
  Index element = -1;  ///< row-major; -1: none
  double a = 0, b = 0;
  std::optional<std::uint64_t> ulps = 0;
};

/// The difference between two tensors.
struct TensorDifference {
  Shape a, b;  ///< elements are compared only where these are equal
  DType type_a = DType::f64, type_b = DType::f64;
  Index differing = 0;  ///< number of elements that differ
  ElementPair first;    ///< the first element that differs
  ElementPair largest;  ///< the element with the largest |a - b|; NaN ranks highest
  std::optional<std::uint64_t> ulps = 0;  ///< the largest over all elements; see ulps_between
  double relative = 0;                    ///< norm(a - b) / norm(a), Euclidean

  bool same_shape() const { return a == b; }
  bool same() const { return same_shape() && type_a == type_b && differing == 0; }
};

TensorDifference difference_of(const Tensor& a, const Tensor& b);

/// Formats the largest difference: `=`, `1 ulp`, `0.0043` if there are too many ulps, `sign of 0`,
/// `not finite`, `shape` or `type`.
std::string brief(const TensorDifference& difference);
/// Formats the difference of one pair in the same way.
std::string apart(double a, double b, const std::optional<std::uint64_t>& ulps);
/// Formats a number with the digits that identify it within its type.
std::string exact(double x, DType dtype = DType::f64);
/// Formats `blocks.0/softmax[0, 1]` or `softmax 2 at [0, 1]`; only the name for a scalar.
std::string element_text(const std::string& name, const Shape& shape, Index element);

/// Returns a number, or the text "nan", "inf" or "-inf".
Json exact_json(double x);
Json to_json(const TensorDifference& difference);

}  // namespace tapehead
