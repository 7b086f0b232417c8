#include "../../core/checks/steps.hpp"
#include "../../core/ops.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(steps)

namespace {

const std::vector<Tensor> numbers = {tensor({0.3, -1.2, 0.9}, DType::f64)};
Tensor smooth(const std::vector<Tensor>& in) { return exp(sin(in[0] * 2)); }

}  // namespace

BOOST_AUTO_TEST_CASE(truncation_falls_by_the_order_and_rounding_grows_by_one) {
  for (const int order : {2, 4}) {
    const StepCurve curve = step_curve(smooth, numbers, order);
    BOOST_TEST(curve.order == order);
    BOOST_TEST_REQUIRE(curve.steps.size() == 34u);
    BOOST_TEST_REQUIRE(curve.errors.size() == 34u);
    BOOST_TEST(curve.steps.front() == 0.1, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(curve.steps.back() == 1e-12, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(std::abs(curve.truncation - order) < 0.2);
    BOOST_TEST(std::abs(curve.rounding + 1) < 0.2);
    for (const double error : curve.errors) BOOST_TEST(error >= curve.errors[curve.best]);
  }
}

BOOST_AUTO_TEST_CASE(a_higher_order_meets_rounding_earlier_and_lower) {
  const StepCurve plain = step_curve(smooth, numbers, 2), fine = step_curve(smooth, numbers, 4);
  // The best step is where h^order equals the precision over h: about 6e-6 and 6e-4.
  BOOST_TEST((plain.steps[plain.best] > 1e-6 && plain.steps[plain.best] < 1e-4));
  BOOST_TEST((fine.steps[fine.best] > 1e-4 && fine.steps[fine.best] < 1e-2));
  BOOST_TEST(fine.errors[fine.best] < plain.errors[plain.best] / 10);
}

BOOST_AUTO_TEST_CASE(a_polynomial_of_the_order_has_no_truncation) {
  const auto power = [](int n) {
    return [=](const std::vector<Tensor>& in) {
      Tensor y = in[0];
      for (int i = 1; i < n; ++i) y = y * in[0];
      return y;
    };
  };
  BOOST_TEST(std::isnan(step_curve(power(2), numbers, 2).truncation));
  BOOST_TEST(std::isnan(step_curve(power(4), numbers, 4).truncation));
  BOOST_TEST(!std::isnan(step_curve(power(4), numbers, 2).truncation));
  BOOST_TEST(!std::isnan(step_curve(power(6), numbers, 4).truncation));
}

BOOST_AUTO_TEST_CASE(no_step_brings_a_wrong_gradient_nearer) {
  const auto wrong = [](const std::vector<Tensor>& in) {
    const Tensor x = in[0];
    return record("wrong", x.detached() * x.detached(), {x},
                  [=](const Tensor& dy) { return Grads{dy * x * 2.02}; });
  };
  const StepCurve curve = step_curve(wrong, numbers, 4);
  BOOST_TEST(std::abs(curve.errors[curve.best] - 0.0099) < 1e-4);
}

BOOST_AUTO_TEST_SUITE_END()
