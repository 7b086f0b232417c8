#include "../../optim/optimizers.hpp"
#include "../../core/checks/inputs.hpp"
#include "../../nn/layers.hpp"
#include "../../optim/clip.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(optimizers)

namespace {

/// Two parameters of one element; the first has weight decay.
struct Pair : Module {
  Pair() : first({1}, Init::constant(2), true), second({1}, Init::constant(-1), false) {
    initialise(*this, 0, DType::f64);
  }
  Tensor forward(const Tensor& x, Pass&) const override { return x * first * first + second; }
  void visit(Visitor& v) override { v("first", first), v("second", second); }

  Parameter first, second;
};

/// Returns the gradients of x first^2 + second at x = 3: 6 first, and 1.
Gradients gradients_of(const Pair& pair) {
  Tape tape;
  Pass pass;
  return tape.backward(pair(tensor({3}, DType::f64), pass));
}

double first_of(const Pair& pair) { return pair.first.value().item(); }
double second_of(const Pair& pair) { return pair.second.value().item(); }

}  // namespace

BOOST_AUTO_TEST_CASE(sgd_with_momentum_and_decay) {
  Pair pair;
  SGDOptions options;
  options.lr = 0.1, options.momentum = 0.5, options.weight_decay = 0.2;
  SGD sgd(pair, options);
  double p = 2, v = 0, q = -1, u = 0;
  for (int step = 0; step < 5; ++step) {
    v = 0.5 * v + 6 * p + 0.2 * p, u = 0.5 * u + 1;
    p -= 0.1 * v, q -= 0.1 * u;
    sgd.step(gradients_of(pair));
    BOOST_TEST(first_of(pair) == p, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(second_of(pair) == q, boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(adamw_is_its_formula_over_ten_steps) {
  Pair pair;
  AdamWOptions options;
  options.lr = 0.05, options.beta1 = 0.8, options.beta2 = 0.95, options.weight_decay = 0.3;
  AdamW adam(pair, options);
  double p = 2, m = 0, v = 0;
  for (int t = 1; t <= 10; ++t) {
    const double g = 6 * p;
    m = 0.8 * m + 0.2 * g, v = 0.95 * v + 0.05 * g * g;
    const double move =
        m / (1 - std::pow(0.8, t)) / (std::sqrt(v / (1 - std::pow(0.95, t))) + 1e-8);
    p -= 0.05 * (move + 0.3 * p);
    adam.step(gradients_of(pair));
    BOOST_TEST(first_of(pair) == p, boost::test_tools::tolerance(1e-13));
  }
  // With a constant gradient and no decay, each step moves by lr.
  BOOST_TEST(second_of(pair) == -1 - 10 * 0.05, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(a_long_parameter_is_updated_to_its_end) {
  Linear layer(7, 5);  // 35 elements, not a multiple of a register
  initialise(layer, 1);
  const std::vector<double> before = layer.weight.value().values();
  AdamW adam(layer);
  Tape tape;
  Pass pass;
  adam.step(tape.backward(sum(layer(ones({1, 7}), pass))));
  for (std::size_t i = 0; i < before.size(); ++i)
    BOOST_TEST(layer.weight.value()(static_cast<Index>(i)) < before[i]);
}

BOOST_AUTO_TEST_CASE(frozen_parameters_and_copies_stay) {
  Pair pair;
  pair.first.trainable = false;
  const Tensor copy = pair.second.value();
  SGD sgd(pair);
  sgd.step(gradients_of(pair));
  BOOST_TEST(first_of(pair) == 2);
  BOOST_TEST(second_of(pair) == -1.01);
  BOOST_TEST(copy.item() == -1);
}

BOOST_AUTO_TEST_CASE(parameters_that_are_gone_or_of_another_model_are_refused) {
  std::vector<Pair> pairs(1);
  SGD of_a_vector(parameters(pairs[0]));
  of_a_vector.step(gradients_of(pairs[0]));
  pairs.reserve(pairs.capacity() + 1);  // moves the elements
  expect_error<TapeError>(
      [&] { of_a_vector.step(gradients_of(pairs[0])); },
      "optimizer: parameter 1 of 2 no longer exists: its layer was destroyed or moved, for example "
      "in a growing vector; make the optimizer after the model is complete");

  Pair pair, other;
  SGD of_the_other(other);
  expect_error<TapeError>([&] { of_the_other.step(gradients_of(pair)); },
                          "optimizer: none of 2 parameters has a gradient; was the optimizer "
                          "made for another model?");

  SGD of_the_old(pair);
  const Gradients gradients = gradients_of(pair);
  const Pair moved = std::move(pair);
  expect_error<TapeError>([&] { of_the_old.step(gradients); },
                          "a parameter of shape (1) has no value: call initialise(model, seed) "
                          "first; if its model was moved, use the new object");
}

BOOST_AUTO_TEST_CASE(neither_a_model_nor_its_optimizer_is_copied) {
  BOOST_TEST(std::is_move_constructible_v<Pair>);
  BOOST_TEST(!std::is_copy_constructible_v<Pair>);
  BOOST_TEST(!(std::is_constructible_v<SGD, SGD&>));
  BOOST_TEST((std::is_constructible_v<SGD, Pair&>));
}

BOOST_AUTO_TEST_CASE(a_parameter_on_a_live_tape_does_not_change) {
  Pair pair;
  const Gradients gradients = gradients_of(pair);
  SGD sgd(pair);
  Tape tape;
  Pass pass;
  pair(tensor({3}, DType::f64), pass);
  BOOST_CHECK_EXCEPTION(sgd.step(gradients), TapeError, [](const TapeError& error) {
    return std::string(error.what()).find("parameter 'first' is watched by a tape") == 0;
  });
}

BOOST_AUTO_TEST_CASE(the_norm_neither_overflows_nor_underflows) {
  const auto norm = [](double value, DType dtype) {
    const Tensor x = tensor({0, 0, 0}, dtype);
    return global_norm(Gradients::from_pairs({{x, tensor({3 * value, -4 * value, 0}, dtype)}}));
  };
  for (const double value : {1.0, 1e-20, 1e25, 2e37})
    BOOST_TEST(norm(value, DType::f32) == 5 * value, boost::test_tools::tolerance(1e-6));
  for (const double value : {1.0, 1e153, 1e200, 3e307, 1e-153, 1e-200, 1e-310})
    BOOST_TEST(norm(value, DType::f64) == 5 * value, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(norm(0, DType::f64) == 0);
}

BOOST_AUTO_TEST_CASE(a_norm_that_is_not_finite_scales_nothing) {
  const Tensor x = tensor({0, 0}, DType::f64);
  for (const double bad : {infinity, std::nan("")}) {
    double norm = 0;
    const Gradients left =
        clip(Gradients::from_pairs({{x, tensor({bad, 1e200}, DType::f64)}}), 1, &norm);
    BOOST_TEST(!std::isfinite(norm));
    BOOST_TEST(left.factor() == 1);
  }
}

BOOST_AUTO_TEST_CASE(clips_where_squares_overflow) {
  for (const auto& [value, dtype] : {std::pair(1e25, DType::f32), std::pair(1e200, DType::f64)}) {
    const Tensor x = tensor({0, 0}, dtype);
    const Tensor g = clip(Gradients::from_pairs({{x, tensor({value, value}, dtype)}}), 1)[x];
    BOOST_TEST(g(0) == std::sqrt(0.5), boost::test_tools::tolerance(1e-6));
  }
}

BOOST_AUTO_TEST_CASE(clip_refuses_a_norm_below_zero) {
  for (const double bad : {-1.0, std::nan("")})
    BOOST_CHECK_EXCEPTION(clip(Gradients(), bad), ValueError, [](const ValueError& error) {
      return std::string(error.what()).find("clip: max_norm is ") == 0;
    });
}

BOOST_AUTO_TEST_CASE(the_sum_of_squares_has_a_fixed_order) {
  for (const Index n : {1, 15, 16, 17, 1000, 65536, 65537, 200000}) {
    const Tensor x = normal_sample({n}, 1), y = normal_sample({5}, 2);
    const auto squared = [](const Tensor& g) {
      double sum = 0;
      for (Index first = 0; first < g.size(); first += 65536) {
        double lane[16] = {}, block = 0;
        for (Index i = first; i < std::min(first + 65536, g.size()); ++i)
          lane[(i - first) % 16] += g(i) * g(i);
        for (const double one : lane) block += one;
        sum += block;
      }
      return sum;
    };
    const Gradients both = Gradients::from_pairs({{x, x}, {y, y}});
    BOOST_TEST(global_norm(both) == std::sqrt(squared(x) + squared(y)));
  }
}

BOOST_AUTO_TEST_CASE(the_norm_adds_parameters_in_the_given_order) {
  std::vector<Parameter> some;  // one so large that small squares don't change the sum
  some.emplace_back(Shape{}, Init::constant(1e8), false);
  for (int i = 0; i < 40; ++i) some.emplace_back(Shape{}, Init::constant(1), false);
  std::vector<const Parameter*> order, reversed;
  std::vector<std::pair<Tensor, Tensor>> pairs;
  for (Parameter& p : some) p.initialise({}, DType::f64), order.push_back(&p);
  reversed.assign(order.rbegin(), order.rend());
  for (const Parameter& p : some) pairs.emplace_back(p.value(), p.value());
  const Gradients forward = Gradients::from_pairs(pairs);
  std::reverse(pairs.begin(), pairs.end());
  const Gradients backward = Gradients::from_pairs(pairs);
  BOOST_TEST(global_norm(forward) != global_norm(backward));
  BOOST_TEST(global_norm(forward, order) == global_norm(backward, order));
  BOOST_TEST(global_norm(forward, order) == global_norm(forward));
  BOOST_TEST(global_norm(forward, reversed) == global_norm(backward));
}

BOOST_AUTO_TEST_CASE(clips_to_the_norm_in_the_same_pass) {
  Pair pair;  // gradients 12 and 1
  double norm = 0;
  const Gradients clipped = clip(gradients_of(pair), 1, &norm);
  BOOST_TEST(norm == std::sqrt(145.0), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(global_norm(clipped) == 1, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(clipped[pair.first.value()].item() == 12 / norm, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(clip(gradients_of(pair), 100).factor() == 1);
  BOOST_TEST(clip(gradients_of(pair), 0).factor() == 1);
  SGD sgd(pair);
  sgd.step(clipped);
  BOOST_TEST(first_of(pair) == 2 - 0.01 * 12 / norm, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(refuses_invalid_options) {
  Pair pair;
  AdamWOptions options;
  options.beta2 = 1;
  BOOST_CHECK_EXCEPTION(AdamW(pair, options), ValueError, [](const ValueError& error) {
    return error.what() == std::string("AdamW: beta2 is 1, expected at least 0 and below 1");
  });
}

// ---- steps that treat all parameters as one vector

namespace {

/// A gradient-descent optimizer that records the vectors it gets.
struct Downhill : Optimizer {
  using Optimizer::Optimizer;
  void apply(const Gradients& gradients, const StepLoss&) override {
    x = point();
    g = gradient_of(gradients);
    move_to(x - g * lr);
  }
  std::vector<State> state() override { return {}; }
  using Optimizer::move_to;
  Tensor x, g;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_whole_step_sees_one_vector) {
  Pair pair;
  Downhill steps(pair);
  steps.lr = 0.5;
  steps.step(gradients_of(pair).scaled(0.5));
  BOOST_TEST(steps.x.values() == std::vector<double>({2, -1}), boost::test_tools::per_element());
  BOOST_TEST(steps.g.values() == std::vector<double>({6, 0.5}), boost::test_tools::per_element());
  BOOST_TEST(first_of(pair) == -1);
  BOOST_TEST(second_of(pair) == -1.25);
  EXPECT_ERROR(ShapeError, steps.move_to(zeros({3}, DType::f64)),
               "unflatten: the vector has shape (3), but the tensors have 2 elements in total");
}

BOOST_AUTO_TEST_CASE(a_frozen_parameter_has_no_gradient_in_it_and_stays) {
  Pair pair;
  pair.second.trainable = false;
  Downhill steps(pair);
  steps.lr = 0.5;
  steps.step(gradients_of(pair));
  BOOST_TEST(steps.g.values() == std::vector<double>({12, 0}), boost::test_tools::per_element());
  steps.move_to(tensor({5, 7}, DType::f64));
  BOOST_TEST(first_of(pair) == 5);
  BOOST_TEST(second_of(pair) == -1);
}

BOOST_AUTO_TEST_CASE(a_parameter_that_the_loss_does_not_reach_has_zeros) {
  Pair pair;
  Downhill steps(pair);
  Tape tape;
  Pass pass;
  pair(tensor({3}, DType::f64), pass);  // watches both parameters
  steps.step(tape.backward(pair.first.value() * 1.0));
  BOOST_TEST(steps.g.values() == std::vector<double>({1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
