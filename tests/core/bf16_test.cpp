#include "../../core/ops.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(bf16)

namespace {

Tensor rounded(const Tensor& x) { return cast(cast(x, DType::bf16), DType::f32); }

}  // namespace

BOOST_AUTO_TEST_CASE(matmul_uses_rounded_factors) {
  const auto expect_rounded = [](const Shape& a_shape, const Shape& b_shape) {
    const Tensor a = random_normal(a_shape, {1}), b = random_normal(b_shape, {2});
    const Tensor rough = matmul(a, b, Precision::bf16);
    expect_equal(rough, matmul(rounded(a), rounded(b)), 0);
    BOOST_TEST(rough.values() != matmul(a, b).values());
  };
  expect_rounded({1, 5}, {5, 1});
  expect_rounded({33, 65}, {65, 17});
  expect_rounded({2, 3, 40, 70}, {3, 70, 50});
  const Tensor x = random_normal({7, 20}, {1}), w = random_normal({9, 20}, {2}),
               bias = random_normal({9}, {3});
  expect_equal(linear(x, w, bias, Precision::bf16), linear(rounded(x), rounded(w), bias), 0);
}

BOOST_AUTO_TEST_CASE(gradients_use_rounded_factors) {
  const Tensor x = random_normal({30, 40}, {1}), w = random_normal({20, 40}, {2});
  const Tensor dy = random_normal({30, 20}, {3});
  const auto gradients = [&](Precision precision) {
    Tape tape;
    tape.watch(x, w);
    const Gradients grads = tape.backward(linear(x, w, {}, precision), dy);
    return std::make_pair(grads[x], grads[w]);
  };
  const auto rough = gradients(Precision::bf16);
  expect_equal(rough.first, matmul(rounded(dy), rounded(w)), 0);
  expect_equal(rough.second, matmul(transpose(rounded(dy)), rounded(x)), 0);
  BOOST_TEST(rough.first.values() != gradients(Precision::f32).first.values());
}

BOOST_AUTO_TEST_CASE(f64_is_never_rounded) {
  const Tensor x = random_normal({128, 128}, {1}, DType::f64);
  expect_equal(matmul(x, x, Precision::bf16), matmul(x, x), 0);
}

BOOST_AUTO_TEST_SUITE_END()
