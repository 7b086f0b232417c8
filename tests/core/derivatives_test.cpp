#include "../../core/derivatives.hpp"
#include "../../core/ops.hpp"
#include "../../nn/gpt.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(derivatives)

namespace {

Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }

/// f(x, y) = (x0 y0, x1 y1 + sin(x0)); x and y have two elements.
const Function curved = [](const Tensor& x, const Tensor& y) {
  return x * y + concat({zeros({1}, DType::f64), sin(slice(x, 0, 0, 1))}, 0);
};
const std::vector<Tensor> at = {f64({0.5, -2}), f64({3, 4})};

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_go_back_from_a_cotangent) {
  const auto [y, grads] = vjp(curved, at, f64({2, 10}));
  expect_equal(y, {1.5, -8 + std::sin(0.5)}, 1e-15);
  expect_equal(grads[0], {2 * 3 + 10 * std::cos(0.5), 10 * 4}, 1e-15);
  expect_equal(grads[1], {2 * 0.5, 10 * -2.0});
  const auto [loss, of_loss] = grad([](const Tensor& x) { return sum(x * x * x); }, {at[0]});
  expect_equal(loss, {0.125 - 8});
  expect_equal(of_loss[0], {0.75, 12});
}

BOOST_AUTO_TEST_CASE(tangents_go_forward_along_a_direction) {
  const auto [y, dy] = jvp(curved, at, {f64({1, 10}), f64({100, 1000})});
  expect_equal(y, {1.5, -8 + std::sin(0.5)}, 1e-15);
  expect_equal(dy, {3 + 0.5 * 100, 40 - 2 * 1000 + std::cos(0.5)}, 1e-15);
}

BOOST_AUTO_TEST_CASE(a_jacobian_has_the_results_axes_and_then_the_inputs) {
  const Grads all = jacobian([](const Tensor& x, const Tensor& w) { return matmul(x, w); },
                             {reshape(f64({1, 2, 3, 4}), {2, 2}), reshape(f64({5, 6}), {2, 1})});
  BOOST_TEST((all[0].shape() == Shape{2, 1, 2, 2}));
  expect_equal(all[0], reshape(f64({5, 6, 0, 0, 0, 0, 5, 6}), {2, 1, 2, 2}));
  expect_equal(all[1], reshape(f64({1, 2, 3, 4}), {2, 1, 2, 1}));
}

BOOST_AUTO_TEST_CASE(a_hessian_has_a_block_for_each_pair_of_inputs) {
  // x^2 y + y^3 at x = 3, y = 2
  const Function f = [](const Tensor& x, const Tensor& y) { return sum(x * x * y + y * y * y); };
  const std::vector<Tensor> x = {f64({3}), scalar(2, DType::f64)};
  const std::vector<Grads> blocks = hessian(f, x);
  BOOST_TEST((blocks[0][1].shape() == Shape{1}));
  expect_equal(reshape(blocks[0][0], {1}), {4});
  expect_equal(blocks[0][1], {6});
  expect_equal(blocks[1][0], {6});
  expect_equal(reshape(blocks[1][1], {1}), {12});
  const auto [y, along] = hvp(f, x, {f64({1}), scalar(10, DType::f64)});
  BOOST_TEST(y.item() == 26);
  expect_equal(along[0], {64});
  BOOST_TEST(along[1].item() == 126);
}

BOOST_AUTO_TEST_CASE(each_can_be_differentiated_again) {
  const auto fourth = [](const Tensor& x) { return sum(x * x * x * x); };
  const Tensor x = f64({2}), one = f64({1});
  const auto second = [&](const Tensor& z) { return hvp(fourth, {z}, {one}).second[0]; };
  expect_equal(jvp(second, {x}, {one}).second, {48});
  expect_equal(vjp(second, {x}, one).second[0], {48});
  expect_equal(reshape(jacobian(second, {x})[0], {1}), {48});
  const auto trace = [&](const Tensor& z) { return sum(hessian(fourth, {z})[0][0]); };
  expect_equal(reshape(hessian(trace, {x})[0][0], {1}), {24});
  const auto tangent = [&](const Tensor& z) { return jvp(fourth, {z}, {z}).second; };  // 4 z^4
  expect_equal(grad([&](const Tensor& z) { return sum(tangent(z)); }, {x}).second[0], {128});
}

BOOST_AUTO_TEST_CASE(an_outer_tape_gets_the_gradients_of_directions_too) {
  const Tensor x = f64({2}), v = f64({3});
  Tape tape;
  tape.watch(x, v);
  const auto [y, dy] = jvp([](const Tensor& z) { return z * z * z; }, {x}, {v});
  const Gradients gradients = tape.backward(y + dy);
  expect_equal(gradients[x], {12 + 6 * 2 * 3.0});
  expect_equal(gradients[v], {12});
}

BOOST_AUTO_TEST_CASE(an_unused_input_is_refused_or_gets_zeros) {
  const Tensor x = f64({2, 3}), other = f64({1});
  const Function constant = [](const Tensor&) { return scalar(1, DType::f64); };
  const auto zeros = Unused::zeros;
  expect_equal(grad(constant, {x}, zeros).second[0], {0, 0});
  BOOST_TEST(jvp(constant, {x}, {x}, zeros).second.item() == 0);
  expect_equal(hvp(constant, {x}, {x}, zeros).second[0], {0, 0});
  EXPECT_ERROR(
      TapeError, grad(constant, {x}),
      "backward: the loss depends on no tensor that this tape watches; call tape.watch(x), "
      "or use a parameter, before computing it; or set `zeros`");
  const Function of_first = [](const Tensor& a, const Tensor&) { return sum(a * a); };
  const std::string text =
      "gradient: the loss doesn't depend on this tensor of shape (1); it may be the value that a "
      "parameter had before a step; set `zeros` to get zeros";
  EXPECT_ERROR(TapeError, grad(of_first, {x, other}), text);
  EXPECT_ERROR(TapeError, jvp(of_first, {x, other}, {x, other}), text);
  EXPECT_ERROR(TapeError, jacobian(of_first, {x, other}), text);
  EXPECT_ERROR(TapeError, hessian(of_first, {x, other}), text);
  expect_equal(hessian(of_first, {x, other}, zeros)[1][0], f64({0, 0}).viewed_as({1, 2}));
}

BOOST_AUTO_TEST_CASE(a_linear_function_has_no_curvature) {
  const Tensor x = f64({2, 3});
  const Function linear = [](const Tensor& z) { return sum(z); };
  expect_equal(hvp(linear, {x}, {x}).second[0], {0, 0});
  expect_equal(reshape(hessian(linear, {x})[0][0], {4}), {0, 0, 0, 0});
  expect_equal(jvp([](const Tensor& z) { return z; }, {x}, {f64({4, 5})}).second, {4, 5});
  const Grads none = jacobian([](const Tensor& z) { return slice(z, 0, 0, 0); }, {x});
  BOOST_TEST((none[0].shape() == Shape{0, 2}));
}

BOOST_AUTO_TEST_CASE(a_tensor_that_is_given_twice_counts_as_two) {
  const Function product = [](const Tensor& a, const Tensor& b) { return sum(a * b * b); };
  const Tensor x = f64({3});
  const Grads grads = grad(product, {x, x}).second;
  expect_equal(grads[0], {9});
  expect_equal(grads[1], {18});
  BOOST_TEST(jvp(product, {x, x}, {f64({1}), f64({0})}).second.item() == 9);
}

BOOST_AUTO_TEST_CASE(a_models_parameters_are_one_long_direction) {
  ModelOptions options;
  options.vocabulary = 5, options.context = 4, options.layers = 1, options.width = 4;
  options.heads = 2, options.dtype = DType::f64;
  const GPT model(options);
  const Tensor ids = tensor({1, 2, 3, 0}, {1, 4}, DType::i32),
               targets = tensor({2, 3, 0, 1}, {1, 4}, DType::i32);
  const Function loss = [&](const std::vector<Tensor>&) {
    Pass pass;
    return cross_entropy(model(ids, pass), targets);
  };
  const std::vector<Tensor> x = values(parameters(model));
  const Tensor v = random_normal({flatten(x).size()}, {3}, DType::f64);
  const Tensor along = flatten(hvp(loss, x, unflatten(v, x)).second);
  // v^T H v is the derivative of v^T g along v, which finite differences give.
  const auto slope = [&](double h) {
    std::vector<Parameter*> all = parameters(const_cast<GPT&>(model));
    const std::vector<Tensor> moved = unflatten(flatten(x) + v * h, x);
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->set(moved[i]);
    const double value = sum(flatten(grad(loss, values(parameters(model))).second) * v).item();
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->set(x[i]);
    return value;
  };
  const double h = 3e-6, quotient = (slope(h) - slope(-h)) / (2 * h);
  BOOST_TEST(relative_error(sum(along * v).item(), quotient, 1e-6) < 1e-6);
  BOOST_TEST(relative_error(jvp(loss, x, unflatten(v, x)).second.item(),
                            sum(flatten(grad(loss, x).second) * v).item(), 1e-9) < 1e-12);
}

BOOST_AUTO_TEST_CASE(wrong_shapes_are_named) {
  const Tensor x = f64({1, 2});
  const Function f = [](const Tensor& a, const Tensor& b) { return sum(a * b); };
  EXPECT_ERROR(ValueError, jvp(f, {x, x}, {x}),
               "jvp: the direction has 1 tensor, but there are 2 inputs");
  EXPECT_ERROR(ShapeError, hvp(f, {x, x}, {x, f64({1})}),
               "hvp: input 1 is f64 (2), but its direction is f64 (1)");
  EXPECT_ERROR(ValueError, grad(f, {x}), "function: expected 2 tensors, got 1");
  EXPECT_ERROR(ShapeError, unflatten(x, {f64({1})}),
               "unflatten: the vector has shape (2), but the tensors have 1 element in total");
  EXPECT_ERROR(ShapeError, grad([](const Tensor& z) { return z; }, {x}),
               "backward: the loss has shape (2), expected one element; use sum or mean, or pass "
               "the gradient of each element");
}

BOOST_AUTO_TEST_SUITE_END()
