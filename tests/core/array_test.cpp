// The door to xtensor, which here is the independent implementation that ops are held against.
#include "../../core/array.hpp"
#include "../../core/ops.hpp"

#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(array)

namespace {

constexpr double tolerance = 1e-13;

Tensor numbers(const Shape& shape, std::uint64_t seed) {
  return random_normal(shape, {seed}, DType::f64);
}
Tensor numbers_above(const Shape& shape, double low, std::uint64_t seed) {
  return random_uniform(shape, low, low + 3, {seed}, DType::f64);
}

}  // namespace

BOOST_AUTO_TEST_CASE(shows_the_elements_without_a_copy) {
  const Tensor x = tapehead::tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto view = x.array<float>();
  BOOST_TEST(view.dimension() == 2U);
  BOOST_TEST(view(1, 0) == 4);
  BOOST_TEST(&view(0, 0) == x.data<float>());
  BOOST_TEST(scalar(5).array<float>()() == 5);
  BOOST_CHECK_THROW(x.array<double>(), TypeError);
}

BOOST_AUTO_TEST_CASE(a_tensor_is_made_from_an_expression) {
  const Tensor x = tapehead::tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  expect_equal(Tensor::from(2.F * x.array<float>() + 1.F),
               tapehead::tensor({3, 5, 7, 9, 11, 13}, {2, 3}));
  const xt::xarray<std::int32_t> ids = {{1, 2}, {3, 4}};
  expect_equal(Tensor::from(ids), tapehead::tensor({1, 2, 3, 4}, {2, 2}, DType::i32));
  BOOST_TEST(Tensor::from(zeros({0, 2}).array<float>() + 1.F).shape() == (Shape{0, 2}));
}

BOOST_AUTO_TEST_CASE(broadcasting_agrees) {
  const Tensor x = numbers({4, 1, 19}, 1), y = numbers_above({3, 1}, 0.5, 2);
  const Tensor z = numbers({2, 1, 3, 19}, 3);
  const auto a = x.array<double>(), b = y.array<double>(), c = z.array<double>();
  expect_equal(x + z * (x - z) / y, Tensor::from(a + c * (a - c) / b), tolerance);
  expect_equal(pow(y, x), Tensor::from(xt::pow(b, a)), tolerance);
  expect_equal(maximum(x, z) * minimum(x, y), Tensor::from(xt::maximum(a, c) * xt::minimum(a, b)),
               tolerance);
  expect_equal(where(x < z, x, y), Tensor::from(xt::where(a < c, a, b)), tolerance);
}

BOOST_AUTO_TEST_CASE(reductions_agree) {
  const Tensor x = numbers({3, 4, 5, 33}, 1);
  const auto a = x.array<double>();
  using Axis = std::vector<std::size_t>;
  const Axis middle{1, 2}, ends{0, 3};
  const xt::xarray<double> sums = xt::sum(a, middle), tops = xt::amax(a, ends);
  const xt::xarray<double> spreads = xt::variance(a, middle);
  expect_equal(sum(x, {1, 2}), Tensor::from(sums), tolerance);
  expect_equal(mean(x, {1, 2}), Tensor::from(sums / 20.0), tolerance);
  expect_equal(amax(x, {0, -1}), Tensor::from(tops));
  expect_equal(var(x, {1, 2}), Tensor::from(spreads), tolerance);
  BOOST_TEST(relative_error(sum(x).item(), xt::sum(a)(), 1) <= tolerance);
}

BOOST_AUTO_TEST_CASE(matmul_agrees) {
  const Tensor x = numbers({2, 1, 5, 7}, 1), y = numbers({3, 7, 4}, 2);
  const xt::xarray<double> a = x.array<double>(), b = y.array<double>();
  const xt::xarray<double> product =
      xt::sum(xt::expand_dims(a, 4) * xt::expand_dims(b, 1), std::vector<std::size_t>{3});
  expect_equal(matmul(x, y), Tensor::from(product), tolerance);
}

BOOST_AUTO_TEST_SUITE_END()
