// The expected numbers are from mpmath with 40 digits.
#include "../../../core/derivatives.hpp"
#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(activations)

namespace {

Tensor by_tanh(const Tensor& x) { return gelu(x); }
Tensor by_erf(const Tensor& x) { return gelu(x, Gelu::erf); }

}  // namespace

BOOST_AUTO_TEST_CASE(tanh_values) {
  expect("numbers", tanh(f64({0, 0.5, -2, 10})),
         f64({0, 0.46211715726000976, -0.96402758007581688, 0.99999999587769276}), 3e-16);
  expect("near 0", tanh(f64({1e-10, -1e-300})), f64({1e-10, -1e-300}));
  expect("huge, infinity, NaN", tanh(f64({1e300, -1e300, infinity, -infinity, NAN})),
         f64({1, -1, 1, -1, NAN}));
  expect("f32", tanh(tensor({0.5, -100})), tensor({0.46211715726000976, -1}), 2e-7);
  expect("its slope", slope(tanh, {0, 0.5, infinity, -1e300}), f64({1, 0.78644773296592741, 0, 0}),
         3e-16);
}

BOOST_AUTO_TEST_CASE(sigmoid_values) {
  expect("numbers", sigmoid(f64({0, 1, -2, 0.5})),
         f64({0.5, 0.73105857863000488, 0.11920292202211756, 0.62245933120185456}), 3e-16);
  expect("far below 0", sigmoid(f64({-100})) * 1e44, f64({3.720075976020836}), 1e-15);
  expect("huge, infinity, NaN", sigmoid(f64({1e300, -1e300, infinity, -infinity, NAN})),
         f64({1, 0, 1, 0, NAN}));
  expect("f32", sigmoid(tensor({0.5, -1000, 1000})), tensor({0.62245933120185456, 0, 1}), 2e-7);
  expect("its slope", slope(sigmoid, {0, infinity, -infinity, -1e300}), f64({0.25, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(relu_values) {
  expect("numbers", relu(f64({-2, 0, 3, infinity, -infinity, NAN})),
         f64({0, 0, 3, infinity, 0, NAN}));
  expect("f32 stays f32", relu(tensor({-1, 1})), tensor({0, 1}));
  expect("its slope", slope(relu, {-2, 0, 3, infinity, -infinity, NAN}), f64({0, 0, 1, 1, 0, NAN}));
}

BOOST_AUTO_TEST_CASE(silu_values) {
  expect("numbers", silu(f64({0, 1, -2, 0.5, -20})),
         f64({0, 0.73105857863000488, -0.23840584404423511, 0.31122966560092728,
              -4.1223072363804072e-8}),
         3e-16);
  expect("huge, infinity, NaN", silu(f64({1e300, -1e300, infinity, -infinity, NAN})),
         f64({1e300, 0, infinity, 0, NAN}));
  expect("f32", silu(tensor({0.5, -1000, 1000})), tensor({0.31122966560092728, 0, 1000}), 2e-7);
  expect("its slope", slope(silu, {0, 1, -2}),
         f64({0.5, 0.92767051187148673, -0.090784248784895479}), 3e-16);
  expect("its slope far out", slope(silu, {1e300, -1e300, infinity, -infinity, NAN}),
         f64({1, 0, 1, 0, NAN}));
}

BOOST_AUTO_TEST_CASE(softplus_values) {
  expect(
      "numbers", softplus(f64({0, 1, -2, 0.5, 40})),
      f64({0.69314718055994531, 1.3132616875182228, 0.1269280110429725, 0.97407698418010668, 40}),
      4e-16);
  expect("far below 0", softplus(f64({-20, -100})) * f64({1e9, 1e44}),
         f64({2.0611536203143807, 3.7200759760208360}), 4e-16);
  expect("huge, infinity, NaN", softplus(f64({1e300, -1e300, infinity, -infinity, NAN})),
         f64({1e300, 0, infinity, 0, NAN}));
  expect("f32", softplus(tensor({0.5, 1000, -1000})), tensor({0.97407698418010668, 1000, 0}), 2e-7);
  expect("f32, far below 0", softplus(tensor({-20, -87})) * tensor({1e9, 1e38}),
         tensor({2.0611536203143807, 1.6458114310822737}), 2e-7);
  expect("its slope", slope(softplus, {0, infinity, -infinity, 1e300, -1e300}),
         f64({0.5, 1, 0, 1, 0}));
}

BOOST_AUTO_TEST_CASE(softplus_has_an_accurate_second_derivative_in_its_tails) {
  const Function f = [](const auto& in) { return sum(softplus(in[0])); };
  for (const double x : {-37.4, 37.4, -700.0, 700.0}) {
    const Tensor at = scalar(x, DType::f64), one = scalar(1, DType::f64);
    const double second = hvp(f, {at}, {one}).second[0].item(), tail = std::exp(-std::abs(x));
    BOOST_TEST(relative_error(second, tail, 0) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(gelu_values) {
  expect("by tanh", by_tanh(f64({0, 1, -1, 0.5, 3})),
         f64({0, 0.8411919906082767, -0.1588080093917233, 0.34571400982514392, 2.996362607918227}),
         3e-16);
  expect(
      "by erf", by_erf(f64({0, 1, -1, 0.5, 3})),
      f64({0, 0.84134474606854295, -0.15865525393145705, 0.34573123063700655, 2.9959503059051097}),
      3e-16);
  expect("by tanh, far below 0", gelu(f64({-6})) * 1e11, f64({-8.4396467007622971}), 1e-14);
  expect("by erf, far below 0", gelu(f64({-6}), Gelu::erf) * 1e9, f64({-5.9195258702261888}),
         1e-14);
  expect("by tanh, huge, infinity, NaN", by_tanh(f64({1e300, -1e300, infinity, -infinity, NAN})),
         f64({1e300, 0, infinity, 0, NAN}));
  expect("by erf, huge, infinity, NaN", by_erf(f64({1e300, -1e300, infinity, -infinity, NAN})),
         f64({1e300, 0, infinity, 0, NAN}));
  expect("by tanh, f32", by_tanh(tensor({0.5, 1e30, -infinity})),
         tensor({0.34571400982514392, 1e30, 0}), 2e-7);
  expect("by erf, f32", by_erf(tensor({0.5, 1e30, -infinity})),
         tensor({0.34573123063700655, 1e30, 0}), 2e-7);
  expect("by tanh, its slope", slope(by_tanh, {0, 1, -1, 0.5, -3}),
         f64({0.5, 1.0829640838457826, -0.082964083845782555, 0.86736990353464231,
              -0.011584166630969726}),
         3e-16);
  expect("by erf, its slope", slope(by_erf, {0, 1, -1, 0.5, -3}),
         f64({0.5, 1.0833154705876863, -0.083315470587686298, 0.86749512465616284,
              -0.011945647204183927}),
         3e-16);
  expect("by tanh, its slope far out", slope(by_tanh, {1e300, -1e300, infinity, -infinity, NAN}),
         f64({1, 0, 1, 0, NAN}));
  expect("by erf, its slope far out", slope(by_erf, {1e300, -1e300, infinity, -infinity, NAN}),
         f64({1, 0, 1, 0, NAN}));
}

BOOST_AUTO_TEST_CASE(integers_are_refused) {
  expect_floats_only("tanh", tanh);
  expect_floats_only("sigmoid", sigmoid);
  expect_floats_only("relu", relu);
  expect_floats_only("silu", silu);
  expect_floats_only("softplus", softplus);
  expect_floats_only("gelu", by_tanh);
}

BOOST_AUTO_TEST_SUITE_END()
