#include "../../core/array.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(array)

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

BOOST_AUTO_TEST_SUITE_END()
