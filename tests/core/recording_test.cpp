#include "../../core/recording.hpp"
#include "../../core/ops.hpp"
#include "../../nn/layers.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(recording)

namespace {
Tensor f64(double value) { return scalar(value, DType::f64); }
}  // namespace

BOOST_AUTO_TEST_CASE(prints_as_a_table) {
  const Tensor x = f64(2), w = f64(-3), b = f64(6.8813735870195432);
  Tape tape;
  TapeRecording recording;
  tape.watch(x, w, b);
  const Tensor y = tanh(x * w + b);
  BOOST_TEST(to_string(recording) ==
             "  #  op     inputs  shape    value\n"
             "  0  watch          ()      2.0000\n"
             "  1  watch          ()     -3.0000\n"
             "  2  watch          ()      6.8814\n"
             "  3  mul    0, 1    ()     -6.0000\n"
             "  4  add    3, 2    ()      0.8814\n"
             "  5  tanh   4       ()      0.7071\n");
  tape.backward(y);
  BOOST_TEST(fmt::format("{}", recording) ==
             "  #  op     inputs  shape    value  gradient\n"
             "  0  watch          ()      2.0000   -1.5000\n"
             "  1  watch          ()     -3.0000    1.0000\n"
             "  2  watch          ()      6.8814    0.5000\n"
             "  3  mul    0, 1    ()     -6.0000    0.5000\n"
             "  4  add    3, 2    ()      0.8814    0.5000\n"
             "  5  tanh   4       ()      0.7071    1.0000\n");
}

BOOST_AUTO_TEST_CASE(prints_shapes_constants_and_modules) {
  Tape tape;
  TapeRecording recording;
  BOOST_TEST(to_string(recording) == "  #  op  inputs  shape  value\n");
  const Tensor x = tensor({1, 2}), big = ones({17});
  tape.watch(x, big);
  const ModuleScope scope("blocks.0");
  const Tensor y = x * 2.5;
  sum(big);
  tape.backward(y, tensor({1, -1}));
  BOOST_TEST(to_string(recording) ==
             "  #  op     inputs    shape     value     gradient  module\n"
             "  0  watch            (2)      [1, 2]  [2.5, -2.5]\n"
             "  1  watch            (17)\n"
             "  2  mul    0, const  (2)    [2.5, 5]      [1, -1]  blocks.0\n"
             "  3  sum    1         ()      17.0000               blocks.0\n");
}

BOOST_AUTO_TEST_CASE(includes_tensors_that_are_on_no_tape) {
  const Tensor x = f64(2), c = f64(5);
  Tape tape;
  TapeRecording recording;
  tape.watch(x);
  const Tensor d = c + c, y = x * d;
  tape.backward(y);
  const std::vector<RecordedStep>& steps = recording.steps();  // x, c, d, y
  BOOST_TEST_REQUIRE(steps.size() == 4u);
  const std::vector<std::string> ops = {"", "", "add", "mul"};
  const std::vector<bool> on_tape = {true, false, false, true};
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(steps[i].op == ops[i]);
    BOOST_TEST(steps[i].on_tape == on_tape[i]);
    BOOST_TEST(static_cast<bool>(steps[i].gradient) == on_tape[i]);
  }
  BOOST_TEST(steps[3].inputs == (std::vector<int>{0, 2}), boost::test_tools::per_element());
  BOOST_TEST(steps[3].sent[0].item() == 10);
  BOOST_TEST(to_string(recording).find("mul    0, const") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(keeps_large_tensors_only_if_it_may) {
  const Tensor x = ones({17}), small = ones({16});
  Tape tape;
  TapeRecording recording(16);
  tape.watch(x, small);
  const Tensor y = sum(x * x) + sum(small);
  tape.backward(y);
  for (const RecordedStep& step : recording.steps()) {
    const bool kept = step.shape.size() <= 16;
    BOOST_TEST(static_cast<bool>(step.value) == kept);
    BOOST_TEST(static_cast<bool>(step.gradient) == kept);
  }
}

BOOST_AUTO_TEST_CASE(lists_parameters_before_their_first_use) {
  Linear layer(1, 1);
  initialise(layer, 1);
  Tape tape;
  TapeRecording recording;
  Pass pass;
  const Tensor y = layer(ones({1, 1}), pass);
  tape.backward(y);
  const std::vector<RecordedStep>& steps = recording.steps();  // x, weight, bias, y
  BOOST_TEST_REQUIRE(steps.size() == 4u);
  BOOST_TEST(!steps[0].on_tape);
  BOOST_TEST(steps[1].on_tape);
  BOOST_TEST(steps[1].gradient.item() == 1);
  BOOST_TEST(steps[2].value.id() == layer.bias.value().id());
}

BOOST_AUTO_TEST_CASE(ends_with_its_object) {
  const Tensor x = ones({1});
  Tape tape;
  tape.watch(x);
  {
    TapeRecording recording;
    exp(x);
    BOOST_TEST(recording.steps().size() == 2u);
  }
  BOOST_TEST(ListenerScope::current() == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
