#include "fields.hpp"

#include <cmath>

namespace tapehead {

Range Range::positive() {
  return {[](double x) { return x > 0 && std::isfinite(x); }, "above 0"};
}
Range Range::above_one() {
  return {[](double x) { return x > 1 && std::isfinite(x); }, "above 1"};
}
Range Range::not_negative() {
  return {[](double x) { return x >= 0 && std::isfinite(x); }, "at least 0"};
}
Range Range::fraction() {
  return {[](double x) { return x >= 0 && x < 1; }, "at least 0 and below 1"};
}

}  // namespace tapehead
