// Custom ops. examples/03_custom_op.cpp checks their gradients.
#include "../../core/custom_op.hpp"
#include "../../core/ops.hpp"
#include "../../core/recording.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(custom_op)

namespace {

Tensor cube(const Tensor& x) {
  return op(
      "cube", x, [](const auto& a) { return 1.0 * a * a * a; },
      [=](const Tensor& dy) { return dy * 3.0 * x * x; });
}
Tensor quotient(const Tensor& a, const Tensor& b) {
  return op(
      "quotient", {a, b}, [](const auto& x, const auto& y) { return x / y; },
      [=](const Tensor& dy, const Tensor& y) {
        return Grads{dy / b, -dy * y / b};
      });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_result_has_the_type_of_its_inputs_whatever_the_literals) {
  expect_equal(cube(tensor({1, -2, 3})), tensor({1, -8, 27}));
  expect_equal(cube(tensor({0.5}, DType::f64)), tensor({0.125}, DType::f64));
  BOOST_TEST(cube(scalar(2)).shape() == Shape());
  BOOST_TEST(cube(zeros({0, 3})).shape() == (Shape{0, 3}));
}

BOOST_AUTO_TEST_CASE(backward_is_recorded_and_sums_over_broadcast_axes) {
  const Tensor a = tensor({2, 4, 6, 8}, {2, 2}), b = tensor({1, 2});
  Tape tape;
  TapeRecording recording;
  tape.watch(a, b);
  const Tensor y = quotient(a, b);
  expect_equal(y, tensor({2, 2, 6, 4}, {2, 2}));
  const Gradients gradients = tape.backward(y, ones({2, 2}));
  expect_equal(gradients[a], tensor({1, 0.5, 1, 0.5}, {2, 2}));
  expect_equal(gradients[b], tensor({-8, -3}));
  BOOST_TEST(to_string(recording).find("quotient") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_tensor_may_be_given_twice) {
  const auto f = [](const std::vector<Tensor>& in) { return quotient(cube(in[0]), in[0]); };
  const std::vector<Tensor> x = {tensor({0.5, 2, -3}, DType::f64)};
  BOOST_TEST(gradcheck(f, x).passed);
  BOOST_TEST(gradcheck_second(f, x).passed);
}

BOOST_AUTO_TEST_CASE(errors_name_the_op) {
  expect_error<TypeError>([] { cube(tensor({1}, DType::i32)); },
                          "cube: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
  expect_error<TypeError>(
      [] { quotient(scalar(1), scalar(1, DType::f64)); },
      "quotient: types f32 and f64 differ; convert one with cast(x, DType::f32)");
  expect_error<ShapeError>([] { quotient(zeros({2}), zeros({3})); },
                           "quotient: (2) and (3) don't broadcast");
  expect_error<ValueError>(
      [] {
        op(
            "refusing", scalar(1),
            [](const auto& a) {
              if (a.size() == 1) throw std::runtime_error("singular");
              return 2 * a;
            },
            [](const Tensor& dy) { return dy; });
      },
      "refusing: (): singular");
}

BOOST_AUTO_TEST_SUITE_END()
