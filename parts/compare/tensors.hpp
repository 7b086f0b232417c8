#pragma once
// Two tensors, element by element.
#include "../../core/tensor.hpp"
#include "../../train/files/json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tapehead {

/// Whether two numbers are the same to the bit. Any NaN is the same as any other; 0 and -0 are two,
/// since 1/x tells them apart.
bool same_bits(double a, double b);

/// Units in the last place between two numbers of a type: 1 for neighbours, 0 for equal ones, which
/// 0 and -0 are. Of whole numbers it is their difference. Empty where one isn't finite, unless they
/// are the same.
std::optional<std::uint64_t> ulps_between(double a, double b, DType dtype);

/// An element of both.
struct ElementPair {
  Index element = -1;  ///< row-major; -1: none
  double a = 0, b = 0;
  std::optional<std::uint64_t> ulps = 0;
};

struct TensorDifference {
  Shape a, b;  ///< elements are compared only where these are equal
  DType type_a = DType::f64, type_b = DType::f64;
  Index differing = 0;                    ///< elements that aren't the same to the bit
  ElementPair first;                      ///< of these
  ElementPair largest;                    ///< the one with the largest |a - b|; NaN counts most
  std::optional<std::uint64_t> ulps = 0;  ///< the most of all elements; empty as for one
  double relative = 0;                    ///< the norm of a - b over that of a

  bool same_shape() const { return a == b; }
  bool same() const { return same_shape() && type_a == type_b && differing == 0; }
};

TensorDifference difference_of(const Tensor& a, const Tensor& b);

/// How far the farthest elements are apart: `=`, `1 ulp`, `0.0043` where ulps would be too many to
/// say anything, `sign of 0`, `not finite`, `shape`, `type`.
std::string brief(const TensorDifference& difference);
/// The same of one pair.
std::string apart(double a, double b, const std::optional<std::uint64_t>& ulps);
/// As many digits as it takes to tell a number from its neighbours in the type.
std::string exact(double x, DType dtype = DType::f64);
/// `blocks.0/softmax[0, 1]`, `softmax 2 at [0, 1]`; of a scalar the name alone.
std::string element_text(const std::string& name, const Shape& shape, Index element);

/// A number; where it isn't finite, a text: "nan", "inf", "-inf".
Json exact_json(double x);
Json to_json(const TensorDifference& difference);

}  // namespace tapehead
