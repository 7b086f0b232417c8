#include "../../core/kernels/gemm/bf16.hpp"
#include "../../core/ops.hpp"
#include "../shared/matrices.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <cstring>
#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(bf16)

namespace {

std::vector<Bf16Unit> units() {
  std::vector<Bf16Unit> all{Bf16Unit::software};
  if (bf16_unit() >= Bf16Unit::avx512) all.push_back(Bf16Unit::avx512);
  if (bf16_unit() == Bf16Unit::amx) all.push_back(Bf16Unit::amx);
  return all;
}

/// The nearest of 16 bits, ties to even.
float rounded(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_the_product_of_rounded_numbers) {
  const std::vector<std::array<Index, 3>> sizes = {{1, 1, 1},      {2, 3, 4},     {16, 32, 16},
                                                   {33, 65, 17},   {40, 70, 50},  {100, 31, 34},
                                                   {13, 1100, 70}, {530, 40, 130}};
  for (Bf16Unit unit : units())
    for (const auto& [rows, inner, columns] : sizes)
      for (const bool a_transposed : {false, true})
        for (const bool b_transposed : {false, true})
          for (const Start start : {Start::zero, Start::c, Start::bias}) {
            const double tolerance = std::max(2e-6, 1e-8 * static_cast<double>(inner));
            constexpr Index gap = 3;  // a row is part of a longer one
            const Index a_stride = (a_transposed ? rows : inner) + gap;
            const Index b_stride = (b_transposed ? inner : columns) + gap;
            const auto a_data = numbers<float>((a_transposed ? inner : rows) * a_stride, 1);
            const auto b_data = numbers<float>((b_transposed ? columns : inner) * b_stride, 2);
            const auto before = numbers<float>(rows * (columns + gap), 3);
            const auto bias = numbers<float>(columns, 4);
            auto after = before;
            const Matrix<const float> a{a_data.data(), rows, inner, a_stride, a_transposed};
            const Matrix<const float> b{b_data.data(), inner, columns, b_stride, b_transposed};
            gemm_bf16(a, b, {after.data(), rows, columns, columns + gap},
                      {0.5f, start == Start::c, start == Start::bias ? bias.data() : nullptr},
                      unit);
            for (Index i = 0; i < rows; ++i)
              for (Index j = 0; j < columns + gap; ++j) {
                const std::size_t place = i * (columns + gap) + j;
                double expected = before[place];
                if (j < columns) {
                  if (start == Start::zero) expected = 0;
                  if (start == Start::bias) expected = bias[j];
                  for (Index k = 0; k < inner; ++k)
                    expected += 0.5 * rounded(at(a, i, k)) * rounded(at(b, k, j));
                }
                BOOST_TEST_REQUIRE(relative_error(after[place], expected, 1) <= tolerance);
              }
          }
}

BOOST_AUTO_TEST_CASE(a_nan_stays_in_its_row) {
  for (Bf16Unit unit : units()) {
    std::vector<float> a(4 * 5, 1), b(5 * 3, 1), c(4 * 3, std::nanf(""));
    a[5] = std::nanf("");
    gemm_bf16(matrix<const float>(a.data(), 4, 5), matrix<const float>(b.data(), 5, 3),
              matrix(c.data(), 4, 3), {}, unit);
    for (std::size_t i = 0; i < c.size(); ++i) BOOST_TEST(std::isnan(c[i]) == (i / 3 == 1));
  }
}

BOOST_AUTO_TEST_CASE(large_products_alone_are_rounded) {
  const Tensor x = random_normal({128, 128}, {1}), small = random_normal({16, 16}, {2});
  const Tensor exact = matmul(x, x), exact_small = matmul(small, small);
  const Tensor rough = matmul(x, x, Precision::bf16);
  const Tensor rough_small = matmul(small, small, Precision::bf16);
  double most = 0;
  for (Index i = 0; i < rough.size(); ++i) most = std::max(most, std::abs(rough(i) - exact(i)));
  BOOST_TEST(most > 1e-3);
  BOOST_TEST(most < 0.5);
  expect_equal(rough_small, exact_small);
}

BOOST_AUTO_TEST_CASE(products_of_a_gradient_are_rounded_like_their_own) {
  const Tensor x = random_normal({128, 128}, {1}), w = random_normal({128, 128}, {2});
  const Tensor dy = random_normal({128, 128}, {3});
  const auto gradients = [&](Precision precision) {
    Tape tape;
    tape.watch(x, w);
    const Gradients grads = tape.backward(linear(x, w, {}, precision), dy);
    return std::make_pair(grads[x], grads[w]);
  };
  const auto rough = gradients(Precision::bf16);
  expect_equal(rough.first, matmul(dy, w, Precision::bf16));
  expect_equal(rough.second, matmul(transpose(dy), x, Precision::bf16));
  BOOST_TEST(rough.first.values() != gradients(Precision::f32).first.values());
}

BOOST_AUTO_TEST_CASE(f64_is_never_rounded) {
  const Tensor x = random_normal({128, 128}, {1}, DType::f64);
  expect_equal(matmul(x, x, Precision::bf16), matmul(x, x), 0);
}

BOOST_AUTO_TEST_CASE(what_is_special_stays_so) {
  const float tiny = std::numeric_limits<float>::denorm_min(), huge = 3.4e38f;
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> a{inf, -inf, tiny, huge, 1.00390625f, 1.01171875f}, b{1};
  for (Bf16Unit unit : units()) {
    std::vector<float> c(a.size());
    gemm_bf16(matrix(a.data(), 6, 1), matrix(b.data(), 1, 1), matrix(c.data(), 6, 1), {}, unit);
    // The last two lie between two numbers of bf16, and go to the even one.
    const std::vector<float> expected{inf, -inf, 0, inf, 1, 1.015625f};
    BOOST_TEST(c == expected, per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
