#include "../../core/kernels/gemm/bf16.hpp"
#include "../../core/ops.hpp"
#include "../shared/matrices.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <cstring>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(bf16)

namespace {

std::vector<Bf16Unit> units() {
  if (bf16_unit() == Bf16Unit::none) return {};
  if (bf16_unit() == Bf16Unit::avx512) return {Bf16Unit::avx512};
  return {Bf16Unit::avx512, Bf16Unit::amx};
}
boost::test_tools::assertion_result has_unit(boost::unit_test::test_unit_id) {
  return bf16_unit() != Bf16Unit::none;
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

BOOST_AUTO_TEST_CASE(is_the_product_of_rounded_numbers, *boost::unit_test::precondition(has_unit)) {
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
            gemm_bf16(a, b, {after.data(), rows, columns, columns + gap}, 0.5f, start == Start::c,
                      start == Start::bias ? bias.data() : nullptr, unit);
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

BOOST_AUTO_TEST_CASE(a_nan_stays_in_its_row, *boost::unit_test::precondition(has_unit)) {
  for (Bf16Unit unit : units()) {
    std::vector<float> a(4 * 5, 1), b(5 * 3, 1), c(4 * 3, std::nanf(""));
    a[5] = std::nanf("");
    gemm_bf16(matrix<const float>(a.data(), 4, 5), matrix<const float>(b.data(), 5, 3),
              matrix(c.data(), 4, 3), 1, false, nullptr, unit);
    for (std::size_t i = 0; i < c.size(); ++i) BOOST_TEST(std::isnan(c[i]) == (i / 3 == 1));
  }
}

BOOST_AUTO_TEST_CASE(large_products_alone_are_rounded) {
  const Tensor x = random_normal({128, 128}, {1}), small = random_normal({16, 16}, {2});
  const Tensor exact = matmul(x, x), exact_small = matmul(small, small);
  if (bf16_unit() == Bf16Unit::none)
    return expect_error<ValueError>(
        [] { set_products(Products::bf16); },
        "bf16: this processor has no instructions for it; f32 works everywhere");
  set_products(Products::bf16);
  const Tensor rough = matmul(x, x), rough_small = matmul(small, small);
  set_products(Products::f32);
  double most = 0;
  for (Index i = 0; i < rough.size(); ++i) most = std::max(most, std::abs(rough(i) - exact(i)));
  BOOST_TEST(most > 1e-3);
  BOOST_TEST(most < 0.5);
  expect_equal(rough_small, exact_small);
  expect_equal(matmul(x, x), exact);
}

BOOST_AUTO_TEST_SUITE_END()
