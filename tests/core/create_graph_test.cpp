// Gradients of gradients: recorded backward in core/tape.cpp.
#include "../../core/ops.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(create_graph)

namespace {
Tensor f64(double value) { return scalar(value, DType::f64); }
}  // namespace

BOOST_AUTO_TEST_CASE(differentiates_gradients_again_and_again) {
  Tape tape;
  const Tensor x = f64(3);
  tape.watch(x);
  const Tensor y = x * x * x * x;
  const Tensor first = tape.backward(y, {true})[x];
  const Tensor second = tape.backward(first, {true})[x];
  const Tensor third = tape.backward(second, {true})[x];
  BOOST_TEST(first.item() == 4 * 27);
  BOOST_TEST(second.item() == 12 * 9);
  BOOST_TEST(third.item() == 24 * 3);
  BOOST_TEST(tape.backward(third)[x].item() == 24);
}

BOOST_AUTO_TEST_CASE(a_loss_may_contain_a_gradient) {
  // A gradient penalty: d/dx (x^3 + (3 x^2)^2) = 3 x^2 + 36 x^3.
  Tape tape;
  const Tensor x = f64(2);
  tape.watch(x);
  const Tensor y = x * x * x;
  const Tensor slope = tape.backward(y, {true})[x];
  BOOST_TEST(tape.backward(y + slope * slope)[x].item() == 12 + 36 * 8);
}

namespace {

/// Computes a^2 b with a backward function that can't be differentiated, and counts its calls.
Tensor fused(const Tensor& a, const Tensor& b, int& runs) {
  Tensor y;
  {
    const Pause pause;
    y = a * a * b;
  }
  const auto backward = [=, &runs](const Tensor& dy) {
    ++runs;
    const Pause pause;
    return Grads{dy * a * b * 2.0, dy * a * a};
  };
  return record("fused", y, {a, b}, backward, [=] { return a * a * b; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(differentiates_a_fused_op_by_its_decomposition) {
  Tape tape;
  int runs = 0;
  const Tensor a = f64(3), b = f64(5);
  tape.watch(a, b);
  const Tensor y = fused(a, b, runs);
  BOOST_TEST(tape.backward(y, {false, true})[a].item() == 30);
  BOOST_TEST(runs == 1);
  const Gradients first = tape.backward(y, {true});
  BOOST_TEST(runs == 2);
  BOOST_TEST(first[a].item() == 30);
  BOOST_TEST(first[b].item() == 9);
  const Gradients second = tape.backward(first[a] * first[b], {true});  // 2 a^3 b
  BOOST_TEST(second[a].item() == 6 * 9 * 5);
  BOOST_TEST(second[b].item() == 2 * 27);
  BOOST_TEST(tape.backward(second[a])[a].item() == 12 * 3 * 5);
}

BOOST_AUTO_TEST_CASE(differentiates_a_fused_op_of_results_and_of_repeated_operands) {
  Tape tape;
  int runs = 0;
  const Tensor x = f64(2);
  tape.watch(x);
  const Tensor y = fused(x * x, x * x, runs);  // x^6
  const Tensor z = fused(x, x, runs);          // x^3
  const Tensor first = tape.backward(y + z, {true})[x];
  BOOST_TEST(first.item() == 6 * 32 + 3 * 4);
  BOOST_TEST(tape.backward(first)[x].item() == 30 * 16 + 6 * 2);
}

BOOST_AUTO_TEST_CASE(a_backward_function_not_made_of_ops_has_no_second_gradient) {
  const std::string text =
      "cube: its backward function isn't made of ops, so its gradient can't be differentiated; "
      "write it in "
      "ops, or record a decomposition";
  const auto by_hand = [](const Tensor& x) {  // 3 x^2
    Tensor y = Tensor::empty(x.shape(), x.dtype());
    y.mutable_data<double>()[0] = 3 * x.item() * x.item();
    return y;
  };
  const Tensor x = f64(2);
  const auto gradient = [&](const std::function<Tensor(const Tensor& dy)>& backward, Tape& tape) {
    tape.watch(x);
    Tensor y;
    {
      const Pause pause;
      y = (x * x * x).detached();
    }
    const Tensor cube =
        record("cube", y, {x}, [=](const Tensor& dy) { return Grads{backward(dy)}; });
    const Tensor slope = tape.backward(cube + x * x, {true})[x];
    BOOST_TEST(slope.item() == 12 + 4);
    return slope;
  };
  for (const bool mixed : {false, true}) {
    Tape tape;
    const Tensor slope =
        gradient([&](const Tensor& dy) { return mixed ? dy * by_hand(x) : by_hand(x); }, tape);
    expect_error<TapeError>([&] { tape.backward(slope); }, text);
  }
  Tape tape;  // a decomposition that returns a constant
  const Tensor slope = gradient([&](const Tensor& dy) { return dy * constant(by_hand(x)); }, tape);
  BOOST_TEST(tape.backward(slope)[x].item() == 2);
  Tape outer, inner;  // tests the same if the outer tape differentiates
  outer.watch(x);
  const Tensor seen = gradient([&](const Tensor&) { return by_hand(x); }, inner);
  expect_error<TapeError>([&] { outer.backward(seen); }, text);
}

BOOST_AUTO_TEST_CASE(a_decomposition_may_be_its_input_or_a_constant) {
  Tape tape;
  const Tensor x = f64(2);
  tape.watch(x);
  const auto same = [](const Tensor& dy) { return Grads{dy}; };
  const Tensor y = record("same", x.detached(), {x}, same, [=] { return x; });
  const auto none = [](const Tensor&) { return Grads{Tensor()}; };
  const Tensor z = record("fixed", f64(7), {x}, none, [] { return f64(7); });
  BOOST_TEST(tape.backward(x * y * z, {true})[x].item() == 28);
}

BOOST_AUTO_TEST_SUITE_END()
