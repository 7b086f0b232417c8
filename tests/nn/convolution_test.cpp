#include "../../nn/convolution.hpp"
#include "../../nn/layers.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(convolution)

namespace {

constexpr Index width = 3;

Tensor numbers(Index batch, Index time) {
  return random_normal({batch, time, width}, {7}, DType::f64);
}

/// A layer whose weights aren't 0.
CausalConvolution layer(Index reach) {
  CausalConvolution made(width, reach);
  initialise(made, 0, DType::f64);
  made.weight.set(random_normal({reach, width}, {8}, DType::f64));
  return made;
}

/// Computes the formula of the header, element by element.
Tensor by_hand(const Tensor& x, const Tensor& w) {
  std::vector<double> y = x.values();
  const std::vector<double> from = y, weights = w.values();
  const Index time = x.dim(1), reach = w.dim(0);
  for (Index i = 0; i < x.size(); ++i)
    for (Index back = 1; back <= std::min(reach, i / width % time); ++back)
      y[static_cast<std::size_t>(i)] +=
          weights[static_cast<std::size_t>((back - 1) * width + i % width)] *
          from[static_cast<std::size_t>(i - back * width)];
  return tensor(y, x.shape(), x.dtype());
}

}  // namespace

BOOST_AUTO_TEST_CASE(adds_a_weighted_sum_of_earlier_tokens) {
  for (const Index reach : {1, 3, 9})  // 9 is longer than the sequences
    for (const Index time : {1, 2, 5}) {
      const CausalConvolution convolution = layer(reach);
      const Tensor x = numbers(2, time);
      Pass pass = Pass::evaluation();
      expect_equal(convolution(x, pass), by_hand(x, convolution.weight.value()), 1e-14);
    }
}

BOOST_AUTO_TEST_CASE(initially_is_the_identity) {
  CausalConvolution convolution(width, 2);
  initialise(convolution, 0, DType::f64);
  Pass pass = Pass::evaluation();
  expect_equal(convolution(numbers(2, 4), pass), numbers(2, 4));
}

BOOST_AUTO_TEST_CASE(continues_a_cached_sequence) {
  const Tensor x = numbers(2, 8);
  for (const Index reach : {1, 3, 20}) {
    const CausalConvolution convolution = layer(reach);
    Pass whole = Pass::evaluation();
    Cache cache;
    Pass pass = Pass::evaluation();
    pass.cache = &cache;
    std::vector<Tensor> parts;
    Index at = 0;
    for (const Index more : {3, 1, 1, 3}) {
      parts.push_back(convolution(slice(x, 1, at, at + more), pass));
      at += more;
    }
    expect_equal(concat(parts, 1), convolution(x, whole));
  }
}

BOOST_AUTO_TEST_CASE(reaches_back_at_least_one) {
  EXPECT_ERROR(ValueError, CausalConvolution(width, 0),
               "convolution: reach is 0, expected at least 1");
}

BOOST_AUTO_TEST_SUITE_END()
