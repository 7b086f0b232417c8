#include "tensors.hpp"
#include "../../core/plural.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tapehead {
namespace {

/// Maps floats to integers in the same order. Adjacent floats map to adjacent integers; 0 and -0 to
/// the same.
template <class Float, class Signed>
Signed place_of(Float x) {
  Signed bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits >= 0 ? bits : std::numeric_limits<Signed>::min() - bits;
}

template <class Float, class Signed>
std::uint64_t places_between(double a, double b) {
  const Signed from = place_of<Float, Signed>(static_cast<Float>(a));
  const Signed to = place_of<Float, Signed>(static_cast<Float>(b));
  // Unsigned subtraction can't overflow.
  const auto low = static_cast<std::uint64_t>(std::min(from, to));
  return static_cast<std::uint64_t>(std::max(from, to)) - low;
}

/// Returns the key to find the largest difference: |a - b|, or infinity for NaN.
double weight_of(double a, double b) {
  const double apart = std::abs(a - b);
  return std::isnan(apart) ? infinity : apart;
}

double epsilon_of(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                             : std::numeric_limits<float>::epsilon();
}

Json to_json(const ElementPair& pair, const Shape& shape) {
  Json json = {{"index", Json(index_of(shape, pair.element))},
               {"a", exact_json(pair.a)},
               {"b", exact_json(pair.b)}};
  json["ulps"] = pair.ulps ? Json(*pair.ulps) : Json();
  return json;
}

}  // namespace

bool same_bits(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

std::optional<std::uint64_t> ulps_between(double a, double b, DType dtype) {
  if (same_bits(a, b)) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::nullopt;
  if (dtype == DType::i32) return static_cast<std::uint64_t>(std::abs(a - b));
  return dtype == DType::f64 ? places_between<double, std::int64_t>(a, b)
                             : places_between<float, std::int32_t>(a, b);
}

TensorDifference difference_of(const Tensor& a, const Tensor& b) {
  TensorDifference found{a.shape(), b.shape(), a.dtype(), b.dtype(), 0, {}, {}, 0, 0};
  if (!found.same_shape()) return found;
  const DType dtype = found.type_a == found.type_b ? found.type_a : DType::f64;
  const std::vector<double> left = a.values(), right = b.values();
  double squares = 0, apart = 0, size = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    squares += left[i] * left[i];
    size = std::max({size, std::abs(left[i]), std::abs(right[i])});
    if (same_bits(left[i], right[i])) continue;
    const ElementPair pair{static_cast<Index>(i), left[i], right[i],
                           ulps_between(left[i], right[i], dtype)};
    if (found.differing++ == 0) found.first = found.largest = pair;
    if (weight_of(pair.a, pair.b) > weight_of(found.largest.a, found.largest.b))
      found.largest = pair;
    found.ulps = found.ulps && pair.ulps ? std::max(found.ulps, pair.ulps) : std::nullopt;
    apart += (pair.a - pair.b) * (pair.a - pair.b);
  }
  if (apart != 0) found.relative = std::sqrt(apart) / std::sqrt(squares);
  const double largest = weight_of(found.largest.a, found.largest.b);
  found.only_rounding = found.type_a == found.type_b && dtype != DType::i32 &&
                        found.ulps.value_or(0) > 0 && largest <= 32 * epsilon_of(dtype) * size;
  return found;
}

std::string explain_ulp(double near, DType dtype) {
  const double ulp = dtype == DType::f64 ? std::nextafter(std::abs(near), infinity) - std::abs(near)
                                         : std::nextafter(std::abs(static_cast<float>(near)),
                                                          std::numeric_limits<float>::max()) -
                                               std::abs(static_cast<float>(near));
  return fmt::format(
      "1 ulp (unit in the last place) is the distance to the next {}: near {:.2g} it "
      "is {:.2g}",
      to_string(dtype), near, ulp);
}

std::string apart(double a, double b, const std::optional<std::uint64_t>& ulps) {
  constexpr std::uint64_t most = 1000000;
  if (!ulps) return "not finite";
  if (*ulps == 0) return "sign of 0";
  return *ulps < most ? plural(*ulps, "ulp") : fmt::format("{:.2g}", std::abs(a - b));
}

std::string brief(const TensorDifference& difference) {
  if (!difference.same_shape()) return "shape";
  if (difference.type_a != difference.type_b) return "type";
  if (difference.same()) return "=";
  return apart(difference.largest.a, difference.largest.b, difference.ulps);
}

std::string exact(double x, DType dtype) {
  if (std::isnan(x)) return "nan";
  return dtype == DType::f32 ? fmt::format("{}", static_cast<float>(x)) : fmt::format("{}", x);
}

std::string element_text(const std::string& name, const Shape& shape, Index element) {
  if (shape.rank() == 0) return name;
  const bool words = name.find(' ') != std::string::npos;
  return name + (words ? " at " : "") + indices_of(shape, element);
}

Json exact_json(double x) { return std::isfinite(x) ? Json(x) : Json(exact(x)); }

Json to_json(const TensorDifference& difference) {
  Json json = {{"equal", difference.same()}};
  if (!difference.same_shape()) {
    json["shape_a"] = difference.a;
    json["shape_b"] = difference.b;
    return json;
  }
  if (difference.type_a != difference.type_b) {
    json["type_a"] = to_string(difference.type_a);
    json["type_b"] = to_string(difference.type_b);
  }
  json["differing"] = difference.differing;
  json["elements"] = difference.a.size();
  if (difference.differing == 0) return json;
  json["ulps"] = difference.ulps ? Json(*difference.ulps) : Json();
  json["relative"] = exact_json(difference.relative);
  json["only_rounding"] = difference.only_rounding;
  json["first"] = to_json(difference.first, difference.a);
  json["largest"] = to_json(difference.largest, difference.a);
  return json;
}

}  // namespace tapehead
