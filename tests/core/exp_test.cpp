#include "../../core/kernels/exp.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace tapehead {
namespace {

/// How far y is from `expected`, in units of the last place of a float there.
double units(float y, double expected) {
  const float nearest = expected;
  const float next = std::nextafter(nearest, std::numeric_limits<float>::infinity());
  return std::abs(static_cast<double>(y) - expected) / (static_cast<double>(next) - nearest);
}

BOOST_AUTO_TEST_SUITE(exp)

BOOST_AUTO_TEST_CASE(exponentials_are_right_to_two_units) {
  double worst = 0, worst2 = 0;
  for (int i = -87000; i <= 88000; i += 7) {
    const float x = static_cast<float>(i) * 1e-3f;
    worst = std::max(worst, units(exp_of(Vec<float>(x)).get(0), std::exp(static_cast<double>(x))));
    const float y = x * 1.4f;
    worst2 =
        std::max(worst2, units(exp2_of(Vec<float>(y)).get(0), std::exp2(static_cast<double>(y))));
  }
  BOOST_TEST(worst < 2);
  BOOST_TEST(worst2 < 2);
}

BOOST_AUTO_TEST_CASE(exponentials_at_the_edges) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto at = [](float x) { return exp_of(Vec<float>(x)).get(0); };
  BOOST_TEST(at(0) == 1);
  for (const float x : {-infinity, -3e38f, -200.f, -104.f}) BOOST_TEST(at(x) == 0);
  for (const float x : {infinity, 3e38f, 200.f, 89.f}) BOOST_TEST(at(x) == infinity);
  BOOST_TEST(std::isnan(at(std::numeric_limits<float>::quiet_NaN())));
  const auto at2 = [](float x) { return exp2_of(Vec<float>(x)).get(0); };
  BOOST_TEST(at2(-3e38f) == 0);
  BOOST_TEST(at2(3e38f) == infinity);
  for (int k = -126; k < 127; ++k) BOOST_TEST(at2(static_cast<float>(k)) == std::ldexp(1.f, k));
  BOOST_TEST(std::isnan(at2(std::numeric_limits<float>::quiet_NaN())));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace tapehead
