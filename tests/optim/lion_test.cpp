#include "../../optim/optimizers.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(lion)

namespace {

/// A parameter with decay and one without. The gradient of the sum of squares is twice each value.
struct Pair : Module {
  Pair() : first({3}, Init::constant(2), true), second({1}, Init::constant(-1), false) {
    initialise(*this, 0, DType::f64);
  }
  Tensor forward(const Tensor& x, Pass&) const override {
    return sum(x * first * first) + sum(second * second);
  }
  void visit(Visitor& v) override { v("first", first), v("second", second); }

  Parameter first, second;
};

Gradients gradients_of(const Pair& pair, double x) {
  Tape tape;
  Pass pass;
  return tape.backward(pair(scalar(x, DType::f64), pass));
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

BOOST_AUTO_TEST_CASE(is_its_formula_over_ten_steps) {
  Pair pair;
  LionOptions options;
  options.lr = 0.1, options.beta1 = 0.6, options.beta2 = 0.8, options.weight_decay = 0.5;
  Lion lion(pair, options);
  double p = 2, m = 0, q = -1, n = 0;
  for (int t = 0; t < 10; ++t) {
    const double x = t % 3 == 2 ? -5 : 1;  // sometimes momentum and gradient have different signs
    const double g = 2 * x * p, h = 2 * q;
    p -= 0.1 * (sign(0.6 * m + 0.4 * g) + 0.5 * p), m = 0.8 * m + 0.2 * g;
    q -= 0.1 * sign(0.6 * n + 0.4 * h), n = 0.8 * n + 0.2 * h;
    lion.step(gradients_of(pair, x));
    for (double value : pair.first.value().values())
      BOOST_TEST(value == p, boost::test_tools::tolerance(1e-13));
    BOOST_TEST(pair.second.value().item() == q, boost::test_tools::tolerance(1e-13));
  }
}

BOOST_AUTO_TEST_CASE(no_gradient_is_no_move) {
  Pair pair;
  LionOptions options;
  options.lr = 0.1;
  Lion lion(pair, options);
  lion.step(gradients_of(pair, 0));
  expect_equal(pair.first.value(), {2, 2, 2});
}

BOOST_AUTO_TEST_CASE(keeps_one_moment_a_parameter) {
  Pair pair;
  Lion lion(pair);
  const auto states = lion.state();
  BOOST_TEST_REQUIRE(states.size() == 2u);
  BOOST_TEST(states[0].name == "momentum.first");
  BOOST_TEST(states[1].name == "momentum.second");
}

BOOST_AUTO_TEST_CASE(is_bitwise_identical_for_any_threads_and_interruptions) {
  TrainConfig config = small_config();
  config.optimizer = "lion";
  expect_repeatable(config);
}

BOOST_AUTO_TEST_CASE(refuses_invalid_options) {
  Pair pair;
  LionOptions options;
  options.beta1 = 1;
  expect_error<ValueError>([&] { Lion(pair, options); },
                           "Lion: beta1 is 1, expected at least 0 and below 1");
}

BOOST_AUTO_TEST_SUITE_END()
