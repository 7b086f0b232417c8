#include "../../core/ops.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(gradcheck)

namespace {

/// Returns a tensor whose element i is 2 sin(i + 1).
Tensor numbers(const Shape& shape) {
  std::vector<double> values;
  for (Index i = 0; i < shape.size(); ++i)
    values.push_back(2 * std::sin(static_cast<double>(i + 1)));
  return tensor(values, shape, DType::f64);
}

/// The backward function of x^2 in a test.
using SquareBackward = std::function<Tensor(const Tensor& dy, const Tensor& x)>;
Function square(const SquareBackward& rule) {
  return [=](const std::vector<Tensor>& in) {
    const Tensor x = in[0];
    Tensor y = x.detached() * x.detached();
    return record("square", y, {x}, [=](const Tensor& dy) { return Grads{rule(dy, x)}; });
  };
}
Tensor right(const Tensor& dy, const Tensor& x) { return dy * x * 2; }

/// Returns ones except for one element.
Tensor ones_but(const Shape& shape, Index i, double value) {
  std::vector<double> values(shape.size(), 1);
  values[i] = value;
  return tensor(values, shape, DType::f64);
}

void expect_passes(const Function& f, const std::vector<Tensor>& inputs) {
  const GradcheckResult first = tapehead::gradcheck(f, inputs);
  BOOST_TEST(first.passed, to_string(first));
  const GradcheckResult second = gradcheck_second(f, inputs);
  BOOST_TEST(second.passed, to_string(second));
}

/// Expects that the check fails, and that its text begins with the position and both numbers.
void expect_fails(const GradcheckResult& result, const std::string& text) {
  BOOST_TEST(!result.passed);
  BOOST_TEST(to_string(result).substr(0, text.size()) == text, to_string(result));
}

}  // namespace

// ---- correct gradients pass

BOOST_AUTO_TEST_CASE(a_right_gradient_passes) {
  expect_passes(square(right), {numbers({2, 3})});
  expect_passes([](const auto& in) { return in[0] * in[1] / (in[0] * in[0] + 3.0); },
                {numbers({2, 3}), numbers({3})});
}

BOOST_AUTO_TEST_CASE(compares_all_that_it_can) {
  const GradcheckResult jacobian = tapehead::gradcheck(square(right), {numbers({2, 3})});
  BOOST_TEST(jacobian.how == "jacobian");
  BOOST_TEST(jacobian.comparisons == 6 * (6 + 2) + 2);  // includes jvp, for two cotangents
  const GradcheckResult elements = tapehead::gradcheck(square(right), {numbers({100})});
  BOOST_TEST(elements.how == "elements");
  BOOST_TEST(elements.comparisons == 100 * 2 + 2);
  const GradcheckResult directions = tapehead::gradcheck(square(right), {numbers({1000})});
  BOOST_TEST(directions.how == "directions");
  BOOST_TEST(directions.comparisons == 8 * 2 + 2);
  BOOST_TEST((jacobian.passed && elements.passed && directions.passed));
}

BOOST_AUTO_TEST_CASE(a_gradient_that_hides_what_it_depends_on_fails_forward) {
  const auto f = [](const auto& in) {
    const Tensor x = in[0];
    return record("hiding", (x * x).detached(), {x},
                  [=](const Tensor& dy) { return Grads{(dy * x * 2.0).detached()}; });
  };
  expect_fails(tapehead::gradcheck(f, {numbers({3})}),
               "along a random direction of all inputs: jvp 0, difference quotient ");
}

BOOST_AUTO_TEST_CASE(one_tensor_given_twice_is_two_inputs) {
  const Tensor x = numbers({3});
  expect_passes([](const auto& in) { return in[0] * in[0] * in[1]; }, {x, x});
}

BOOST_AUTO_TEST_CASE(a_result_that_depends_on_nothing_has_zero_gradient) {
  const Tensor constant = numbers({2});
  expect_passes([=](const auto&) { return constant; }, {numbers({3})});
  expect_passes([](const auto& in) { return in[0] * 2; }, {numbers({3}), numbers({4})});
  expect_passes([](const auto& in) { return in[0]; }, {numbers({3})});
}

BOOST_AUTO_TEST_CASE(nothing_in_or_out_passes) {
  const auto empty_input = tapehead::gradcheck(square(right), {numbers({0, 3})});
  BOOST_TEST(empty_input.passed);
  BOOST_TEST(empty_input.comparisons == 0);
  BOOST_TEST(to_string(empty_input) == "nothing to compare");
  const Tensor none = numbers({0});
  const auto empty_output =
      tapehead::gradcheck([=](const auto& in) { return in[0] * none; }, {numbers({1})});
  BOOST_TEST(empty_output.passed);
  BOOST_TEST(empty_output.comparisons == 0);
  BOOST_TEST(gradcheck_second(square(right), {numbers({0, 3})}).passed);
  BOOST_TEST(tapehead::gradcheck([](const auto&) { return scalar(1, DType::f64); }, {}).passed);
}

BOOST_AUTO_TEST_CASE(leaves_a_living_tape_alone) {
  Tape tape;
  const Tensor x = numbers({3});
  tape.watch(x);
  BOOST_TEST(tapehead::gradcheck(square(right), {x}).passed);
  BOOST_TEST(tape.size() == 1);
}

BOOST_AUTO_TEST_CASE(refuses_types_that_differences_are_too_coarse_for) {
  EXPECT_ERROR(TypeError, tapehead::gradcheck(square(right), {numbers({1}), ones({1}, DType::f32)}),
               "gradcheck: input 1 is f32; all inputs must be f64, or all must be f32");
  EXPECT_ERROR(TypeError, gradcheck_second(square(right), {ones({1}, DType::i32)}),
               "gradcheck: input 0 is i32; all inputs must be f64, or all must be f32");
  expect_error<TypeError>(
      [] { tapehead::gradcheck([](const auto&) { return ones({1}); }, {numbers({1})}); },
      "gradcheck: the result is f32; all inputs must be f64, or all must be f32");
}

BOOST_AUTO_TEST_CASE(what_exists_in_f32_alone_is_checked_in_f32) {
  const auto by_factor = [](double factor) {
    return [=](const std::vector<Tensor>& in) {
      const Tensor x = in[0];
      return record("square", x.detached() * x.detached(), {x},
                    [=](const Tensor& dy) { return Grads{dy * x * (2 * factor)}; });
    };
  };
  for (const Index size : {1, 40, 5000}) {
    const Tensor x = cast(numbers({size}), DType::f32);
    const GradcheckResult right = tapehead::gradcheck(by_factor(1), {x});
    BOOST_TEST(right.passed, to_string(right));
    const GradcheckResult second = gradcheck_second(by_factor(1), {x});
    BOOST_TEST(second.passed, to_string(second));
    expect_fails(tapehead::gradcheck(by_factor(1.01), {x}), "input 0 element ");
  }
}

BOOST_AUTO_TEST_CASE(an_input_is_called_by_its_name) {
  const auto wrong = [](const auto& in) {
    return record("sum", in[0].detached() + in[1].detached(), {in[0], in[1]}, [](const Tensor& dy) {
      return Grads{dy, dy * 2};
    });
  };
  GradcheckOptions options;
  options.names = {"gain", "bias"};
  const std::vector<Tensor> inputs = {numbers({3}), numbers({3})};
  expect_fails(tapehead::gradcheck(wrong, inputs, options), "bias element 0, output 0: ");
  options.names.pop_back();
  expect_fails(tapehead::gradcheck(wrong, inputs, options), "input 1 element 0, output 0: ");
  const auto forgets_dy =
      square([](const Tensor& dy, const Tensor& x) { return dy.detached() * x * 2; });
  expect_fails(gradcheck_second(forgets_dy, {numbers({4})}), "dy element ");
}

BOOST_AUTO_TEST_CASE(chance_and_kinks_are_called_what_they_are) {
  const auto doubt = [](const Function& f, const Tensor& x) {
    const GradcheckResult result = tapehead::gradcheck(f, {x});
    BOOST_TEST(!result.passed);
    const std::string text = to_string(result), end = "; " + result.doubt;
    BOOST_TEST((result.doubt.empty() || text.substr(text.size() - end.size()) == end), text);
    return result.doubt;
  };
  int calls = 0;
  const Function chance = [&](const auto& in) {
    return dropout(in[0], 0.5, RandomKey{static_cast<std::uint64_t>(++calls)});
  };
  const std::string two_answers = doubt(chance, numbers({20}));
  BOOST_TEST(two_answers.find("not deterministic: ") == 0u, two_answers);
  int coins = 0;
  const Function coin = [&](const auto& in) {
    return in[0] + tensor({0, 0, ++coins % 2 * 0.5}, DType::f64);
  };
  BOOST_TEST(doubt(coin, tensor({1, 1, 1}, DType::f64)).find(" for the same inputs at output 2") !=
             std::string::npos);
  const Function kinked = [](const auto& in) { return relu(in[0]); };
  // At this kink, the slope changes little.
  const Function slight = [](const auto& in) { return in[0] + relu(in[0]) * 1e-3; };
  const std::string kink = "a kink within 2 steps of input 0 element 2, which is ";
  for (const double x : {0.0, 1e-7, -1e-6})
    for (const Function& f : {kinked, slight})
      BOOST_TEST(doubt(f, tensor({1, -1, x}, DType::f64)) == kink + fmt::format("{:.6g}", x));
  BOOST_TEST(doubt(kinked, tensor({1, -1, 0.0})) == kink + "0");  // in f32
  const GradcheckResult jump =
      gradcheck_second([](const auto& in) { return abs(in[0]); }, {tensor({1, 0}, DType::f64)});
  BOOST_TEST(jump.doubt == "a jump within a step of input 0 element 1, which is 0");
  const Function wrong = square([](const Tensor& dy, const Tensor& x) { return dy * x * 2.001; });
  BOOST_TEST(doubt(wrong, numbers({3})) == "");
  BOOST_TEST(doubt(wrong, numbers({1000})) == "");
  const Function steep = square([](const Tensor& dy, const Tensor& x) { return dy * x * 2.00001; });
  BOOST_TEST(doubt([=](const auto& in) { return exp(steep({in[0]})); }, numbers({5})) == "");
}

// These pass with a shorter step than the usual one.
BOOST_AUTO_TEST_CASE(steep_functions_and_what_is_near_a_kink_pass) {
  const auto near = [](const Function& f, double x, DType dtype = DType::f64) {
    const GradcheckResult result = tapehead::gradcheck(f, {tensor({1, -1, x}, dtype)});
    BOOST_TEST(result.passed, to_string(result));
  };
  const Function leaky = [](const auto& in) { return maximum(in[0], in[0] * 0.01); };
  const Function slight = [](const auto& in) { return in[0] + relu(in[0]) * 1e-3; };
  for (const double x : {1e-4, 2.2222e-4, -5e-4, 5e-4, 6.6667e-4, 1.5e-3})
    for (const Function& f : {leaky, slight}) near(f, x);
  near(leaky, 0.01, DType::f32);
  near([](const auto& in) { return tanh(in[0] * 1000.0); }, 3e-4);
  near([](const auto& in) { return sin(in[0] * 1e4); }, 0.1);
}

BOOST_AUTO_TEST_CASE(compares_numbers_of_any_size) {
  BOOST_TEST(relative_error(1, 1.5, 1) == 1 / 3.0);
  BOOST_TEST(relative_error(-0.125, 0.125, 0.5) == 0.5);
  const double nan = std::nan(""), infinity = HUGE_VAL;
  BOOST_TEST(relative_error(nan, nan, 1) == infinity);
  BOOST_TEST(relative_error(nan, 1, 1) == infinity);
  BOOST_TEST(relative_error(1, nan, 1) == infinity);
  BOOST_TEST(relative_error(infinity, infinity, 1) == 0);
  BOOST_TEST(relative_error(infinity, -infinity, 1) == infinity);
  BOOST_TEST(relative_error(0, infinity, 1) == infinity);
}

// ---- wrong gradients fail, and the message names the position

BOOST_AUTO_TEST_CASE(catches_a_factor_of_1_0005) {
  const auto wrong = square([](const Tensor& dy, const Tensor& x) { return dy * x * 2.001; });
  expect_fails(tapehead::gradcheck(wrong, {scalar(3, DType::f64)}), "input 0 element 0, output 0:");
  expect_fails(tapehead::gradcheck(wrong, {numbers({1000})}), "input 0 element");
}

BOOST_AUTO_TEST_CASE(catches_one_wrong_element) {
  for (const Index size : {40, 200, 5000}) {  // checked by the Jacobian, by elements, by directions
    const Index culprit = size * 3 / 5;
    const auto wrong = square([=](const Tensor& dy, const Tensor& x) {
      return right(dy, x) * ones_but({size}, culprit, 1.0005);
    });
    expect_fails(tapehead::gradcheck(wrong, {numbers({size})}),
                 fmt::format("input 0 element {}{}: backward", culprit,
                             size == 40 ? fmt::format(", output {}", culprit) : ""));
  }
}

BOOST_AUTO_TEST_CASE(catches_an_error_of_1e_5_in_one_of_10000_elements) {
  for (const Index culprit : {0, 4321, 9999}) {
    const auto wrong = [=](const std::vector<Tensor>& in) {
      const Tensor x = in[0];
      return record("sines", sum(sin(x.detached())), {x}, [=](const Tensor& dy) {
        return Grads{dy * cos(x) * ones_but({10000}, culprit, 1 + 1e-5)};
      });
    };
    expect_fails(tapehead::gradcheck(wrong, {random_normal({10000}, RandomKey{3}, DType::f64)}),
                 fmt::format("input 0 element {}: backward", culprit));
  }
}

BOOST_AUTO_TEST_CASE(catches_a_small_wrong_element_among_large_ones) {
  const Tensor scales = ones_but({20}, 7, 1e-5) * 100.0;
  const auto wrong = [=](const std::vector<Tensor>& in) {
    const Tensor x = in[0];
    Tensor y = x.detached() * scales;
    return record("scaled", y, {x},
                  [=](const Tensor& dy) { return Grads{dy * scales * ones_but({20}, 7, 1.0005)}; });
  };
  expect_fails(tapehead::gradcheck(wrong, {numbers({20})}), "input 0 element 7");
}

BOOST_AUTO_TEST_CASE(catches_a_transposed_gradient) {
  const Tensor c = numbers({3, 3});
  const auto wrong = [=](const std::vector<Tensor>& in) {
    Tensor y = in[0].detached() * c;
    return record("scaled", y, {in[0]}, [=](const Tensor& dy) { return Grads{transpose(dy * c)}; });
  };
  expect_fails(tapehead::gradcheck(wrong, {numbers({3, 3})}), "input 0 element");
}

BOOST_AUTO_TEST_CASE(catches_overwriting_where_gradients_add_up) {
  // f(x, x), whose second gradient replaces the first.
  const auto product = [](const Tensor& a, const Tensor& b) {
    Tensor y = a.detached() * b.detached();
    return record("product", y, {a, b}, [=](const Tensor& dy) {
      return a.id() == b.id() ? Grads{Tensor(), dy * a} : Grads{dy * b, dy * a};
    });
  };
  const Tensor x = numbers({4});
  BOOST_TEST(
      tapehead::gradcheck([=](const auto& in) { return product(in[0], in[1]); }, {x, x}).passed);
  expect_fails(tapehead::gradcheck([=](const auto& in) { return product(in[0], in[0]); }, {x}),
               "input 0 element 0, output 0: backward 0.904875, difference quotient 1.80975, ");
}

BOOST_AUTO_TEST_CASE(catches_a_gradient_that_is_right_for_ones_alone) {
  const auto ignores = square([](const Tensor&, const Tensor& x) { return x * 2; });
  expect_fails(tapehead::gradcheck(ignores, {numbers({4})}), "input 0 element");
  const auto averages = square([](const Tensor& dy, const Tensor& x) {
    return sum(dy) / static_cast<double>(dy.size()) * x * 2;
  });
  expect_fails(tapehead::gradcheck(averages, {numbers({4})}), "input 0 element");
  const auto squares = square([](const Tensor& dy, const Tensor& x) { return dy * dy * x * 2; });
  expect_fails(tapehead::gradcheck(squares, {numbers({4})}), "input 0 element");
}

BOOST_AUTO_TEST_CASE(catches_a_missing_gradient) {
  const auto wrong = square([](const Tensor&, const Tensor&) { return Tensor(); });
  expect_fails(tapehead::gradcheck(wrong, {numbers({4})}),
               "input 0 element 0, output 0: backward 0, ");
}

BOOST_AUTO_TEST_CASE(catches_numbers_that_are_not_finite) {
  const auto nan_at_2 = square([](const Tensor& dy, const Tensor& x) {
    return right(dy, x) * ones_but({4}, 2, std::nan(""));
  });
  const GradcheckResult lone = tapehead::gradcheck(nan_at_2, {numbers({4})});
  expect_fails(lone, "input 0 element 2, output 0: backward nan, ");
  BOOST_TEST(lone.error == HUGE_VAL);
  const auto infinite = [](const std::vector<Tensor>& in) { return in[0] + HUGE_VAL; };
  expect_fails(tapehead::gradcheck(infinite, {numbers({4})}),
               "input 0 element 0, output 0: backward 0.5");
}

BOOST_AUTO_TEST_CASE(values_and_derivatives_that_are_not_finite_fail_without_an_accusation) {
  const auto expect_doubt = [](const Function& f, const std::vector<Tensor>& x,
                               const std::string& doubt) {
    for (const GradcheckResult& result : {tapehead::gradcheck(f, x), gradcheck_second(f, x)}) {
      BOOST_TEST(!result.passed);
      BOOST_TEST(result.culprit == "");
      BOOST_TEST(has(result.doubt, "finite"), to_string(result));
    }
    BOOST_TEST(has(to_string(tapehead::gradcheck(f, x)), doubt),
               to_string(tapehead::gradcheck(f, x)));
  };
  expect_doubt([](const auto& in) { return sqrt(sum(in[0] * in[0])); }, {zeros({2}, DType::f64)},
               "the derivative isn't finite there: the backward function of sqrt gives inf");
  expect_doubt([](const auto& in) { return sqrt(neg(in[0])); }, {ones({3}, DType::f64)},
               "the value isn't finite there: nan at output 0");
  expect_doubt([](const auto& in) { return pow(in[0], scalar(400, DType::f64)); },
               {full({1}, 10, DType::f64)}, "the value isn't finite there: inf at output 0");
  expect_doubt([](const auto& in) { return pow(in[0], scalar(-1, DType::f64)); },
               {full({1}, 1e-200, DType::f64)}, "the backward function of pow gives -inf");
  expect_doubt([](const auto& in) { return pow(in[0], scalar(2.5, DType::f64)); },
               {zeros({2}, DType::f64)}, "the value isn't finite within 2 steps of input 0");
}

BOOST_AUTO_TEST_CASE(catches_a_backward_function_that_cannot_be_differentiated) {
  const auto forgets_x =
      square([](const Tensor& dy, const Tensor& x) { return dy * x.detached() * 2; });
  BOOST_TEST(tapehead::gradcheck(forgets_x, {numbers({4})}).passed);
  expect_fails(gradcheck_second(forgets_x, {numbers({4})}),
               "input 0 element 0, output 0: backward 0, ");
  const auto forgets_dy =
      square([](const Tensor& dy, const Tensor& x) { return dy.detached() * x * 2; });
  expect_fails(tapehead::gradcheck(forgets_dy, {numbers({4})}),
               "along a random direction of all inputs: jvp 0, difference quotient ");
  expect_fails(gradcheck_second(forgets_dy, {numbers({4})}), "dy element");
}

BOOST_AUTO_TEST_CASE(catches_a_decomposition_that_is_another_function) {
  const auto fused = [](double factor) {
    return [=](const std::vector<Tensor>& in) {
      const Tensor x = in[0];
      Tensor y = x.detached() * x.detached();
      return record(
          "fused", y, {x}, [=](const Tensor& dy) { return Grads{right(dy, x).detached()}; },
          [=] { return x * x * factor; });
    };
  };
  expect_passes(fused(1), {numbers({4})});
  expect_fails(tapehead::gradcheck(fused(1.0005), {numbers({4})}),
               "along a random direction of all inputs: jvp ");
}

BOOST_AUTO_TEST_SUITE_END()
