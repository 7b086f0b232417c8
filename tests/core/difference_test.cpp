// Finite differences of functions for which the usual step is too long.
#include "../../core/checks/difference.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(difference)

namespace {

Difference at(double x, const std::function<double(double)>& f) {
  return tapehead::difference([&](double by) { return f(x + by); }, 1e-3 * std::max(1.0, x),
                              std::abs(x), 1e-16 * std::max(1.0, std::abs(f(x))));
}
double slope(double x, const std::function<double(double)>& f) { return at(x, f).slope; }
double size(double x) { return std::abs(x); }
double reciprocal(double x) { return 1 / x; }

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_slope_near_kinks_and_poles) {
  const auto tolerance = boost::test_tools::tolerance(1e-6);
  BOOST_TEST(slope(3, [](double x) { return x * x; }) == 6, tolerance);
  for (const double x : {5e-4, 1e-6, 1e-9}) BOOST_TEST(slope(x, size) == 1, tolerance);
  for (const double x : {1e-3, 1e-5, 1e-300})
    BOOST_TEST(slope(x, [](double p) { return std::log(p); }) == 1 / x, tolerance);
  BOOST_TEST(slope(1e-5, reciprocal) == -1e10, tolerance);
  BOOST_TEST(slope(3e-4, [](double x) { return std::tanh(1000 * x); }) == 915.1369618266292,
             tolerance);
  BOOST_TEST(slope(1e5, [](double x) { return std::sin(x); }) == std::cos(1e5), tolerance);
  BOOST_TEST(slope(1e-300, [](double x) { return 1 + x; }) == 1, tolerance);
  BOOST_TEST(std::isnan(slope(-1, [](double x) { return std::log(x); })));
}

BOOST_AUTO_TEST_CASE(has_two_slopes_on_a_kink) {
  const Difference relu = at(0, [](double x) { return std::max(x, 0.0); });
  BOOST_TEST(relu.kink);
  BOOST_TEST((relu.slope == 0.5 && relu.left == 0 && relu.right == 1));
  BOOST_TEST(at(0, size).kink);
  BOOST_TEST(!at(1e-4, size).kink);
  for (const int power : {1, 2, 3, 4})
    BOOST_TEST(!at(0, [=](double x) { return std::pow(x, power); }).kink, power);
}

BOOST_AUTO_TEST_SUITE_END()
