#include "../../core/custom_gradient.hpp"
#include "../../core/derivatives.hpp"
#include "../../core/ops.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(custom_gradient)

namespace {

Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }
Tensor steps(const Tensor& x) {
  return where(less(x, scalar(0, x.dtype())), x * 0.0, x * 0.0 + 1.0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stopped_gradient_is_that_of_a_constant) {
  const auto f = [](const Tensor& x) { return sum(x * stop_gradient(x)); };
  expect_equal(grad(f, {f64({3})}).second[0], {3});
}

BOOST_AUTO_TEST_CASE(a_custom_backward_function_replaces_the_original) {
  // log(1 + e^x), whose own gradient is infinity / infinity for large x
  const auto softplus = [](const Tensor& x) {
    return tapehead::custom_gradient([](const Tensor& z) { return log(exp(z) + 1.0); }, {x},
                                     [=](const Tensor& dy) { return Grads{dy * sigmoid(x)}; });
  };
  expect_equal(softplus(f64({0})), {std::log(2)}, 1e-15);
  expect_equal(grad([&](const Tensor& x) { return sum(softplus(x)); }, {f64({0, 1000})}).second[0],
               {0.5, 1});
  const auto [y, hv] =
      hvp([&](const Tensor& x) { return sum(softplus(x)); }, {f64({0})}, {f64({1})});
  expect_equal(hv[0], {0.25});
}

BOOST_AUTO_TEST_CASE(straight_through_has_the_value_of_one_and_the_gradient_of_the_other) {
  const Tensor x = f64({-1, 2});
  const auto f = [](const Tensor& z) { return sum(straight_through(steps, z) * z); };
  const auto [y, grads] = grad(f, {x});
  expect_equal(y, {2});
  expect_equal(grads[0], {-1 + 0, 2 + 1.0});
}

BOOST_AUTO_TEST_CASE(recompute_has_the_same_gradients) {
  const auto f = [](const Tensor& x) { return exp(sin(x) * x); };
  const auto again = [&](const Tensor& x) { return tapehead::recompute(f, {x}); };
  const std::vector<Tensor> x = {f64({0.5, 2})};
  for (const Function& each : {Function(f), Function(again)}) {
    const auto total = [&](const Tensor& z) { return sum(each({z})); };
    expect_equal(grad(total, x).second[0],
                 grad([&](const Tensor& z) { return sum(f(z)); }, x).second[0]);
    expect_equal(hvp(total, x, x).second[0],
                 hvp([&](const Tensor& z) { return sum(f(z)); }, x, x).second[0], 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(unlisted_inputs_are_refused) {
  const Tensor x = f64({1, 2}), w = f64({3, 4});
  const Function uses_w = [&](const Tensor& z) { return z * w; };
  const auto text = [](const std::string& name) {
    return name +
           ": the function uses a tensor of shape (2) that isn't one of its inputs or parameters, "
           "so its gradient would be lost; add it to the inputs";
  };
  const auto keeps = [](const Tensor& dy) { return Grads{dy}; };
  Tape tape;
  tape.watch(x, w);
  EXPECT_ERROR(TapeError, tapehead::custom_gradient(uses_w, {x}, keeps), text("custom_gradient"));
  EXPECT_ERROR(TapeError, tapehead::recompute(uses_w, {f64({5, 6})}), text("recompute"));
  EXPECT_ERROR(TapeError, tape.backward(sum(tapehead::recompute(uses_w, {x}))), text("recompute"));
}

BOOST_AUTO_TEST_SUITE_END()
