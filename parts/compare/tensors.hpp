#pragma once
// Compares two tensors element by element.
#include "../../core/tensor.hpp"
#include "../../train/files/json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tapehead {

/// Returns whether two numbers have the same bits, but treats all NaNs as equal. 0 and -0 differ,
/// because 1/x distinguishes them.
bool same_bits(double a, double b);

/// Returns the distance of two numbers in units in the last place (ulps) of a type: 1 for adjacent
/// floats, 0 for equal numbers and for 0 and -0. For integers, returns their difference. Returns
/// nothing if a number isn't finite, unless both are identical.
std::optional<std::uint64_t> ulps_between(double a, double b, DType dtype);

/// One element's values in tensors a and b.
struct ElementPair {
  Index element = -1;  ///< row-major number; -1: none
  double a = 0, b = 0;
  std::optional<std::uint64_t> ulps = 0;
};

/// The difference between tensors a and b.
struct TensorDifference {
  Shape a, b;  ///< shapes; elements are compared only if these are equal
  DType type_a = DType::f64, type_b = DType::f64;
  Index differing = 0;  ///< number of elements that differ
  ElementPair first;    ///< the first element that differs
  ElementPair largest;  ///< element with the largest |a - b|; NaN counts as infinite
  std::optional<std::uint64_t> ulps = 0;  ///< largest over all elements; see ulps_between
  double relative = 0;                    ///< norm(a - b) / norm(a), Euclidean
  /// Whether all numbers are finite and differ by at most 32 ulps of the largest one, as after
  /// computing the same in another order.
  bool only_rounding = false;

  bool same_shape() const { return a == b; }
  bool same() const { return same_shape() && type_a == type_b && differing == 0; }
};

TensorDifference difference_of(const Tensor& a, const Tensor& b);

/// Formats the largest difference: `1 ulp`, or `0.0043` instead of a million ulps or more. Special
/// cases are `=`, `sign of 0`, `not finite`, `shape` and `type`.
std::string brief(const TensorDifference& difference);
/// Formats the difference of two numbers like `brief`.
std::string apart(double a, double b, const std::optional<std::uint64_t>& ulps);
/// Explains ulps: `1 ulp (unit in the last place) is the distance to the next f64: near 0.88 it is
/// 1.1e-16`.
std::string explain_ulp(double near, DType dtype = DType::f64);
/// Formats a number with all digits needed to identify it within its type.
std::string exact(double x, DType dtype = DType::f64);
/// Formats an element's name: `blocks.0/softmax[0, 1]` or `softmax 2 at [0, 1]`; only the name for
/// a scalar.
std::string element_text(const std::string& name, const Shape& shape, Index element);

/// Returns a JSON number, or the text "nan", "inf" or "-inf".
Json exact_json(double x);
Json to_json(const TensorDifference& difference);

}  // namespace tapehead
