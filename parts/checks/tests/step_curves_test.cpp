#include "../step_curves.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../core/ops.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../parts.hpp"

#include <algorithm>
#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(step_curves)

namespace {

StepCurves of(const Function& f) {
  return tapehead::step_curves("a <function>", f, {tensor({0.3, -1.2, 0.9}, DType::f64)}, {});
}
StepCurves smooth() {
  return of([](const auto& in) { return exp(sin(in[0] * 2)); });
}
StepCurves wrong() {
  return of([](const auto& in) {
    const Tensor x = in[0];
    return record("wrong", x.detached() * x.detached(), {x},
                  [=](const Tensor& dy) { return Grads{dy * x * 2.2}; });
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(text_fits_its_width_and_explains_the_errors) {
  for (const int width : {40, 60, 80, 200}) {
    const std::string text = step_text(smooth(), width);
    for (const std::string& line : lines_of(text)) BOOST_TEST(display_width(line) <= width, line);
  }
  const std::string text = step_text(smooth(), 1000);
  BOOST_TEST(has(text, "truncation falls as h^4.0, and rounding grows as h^-"), text);
  BOOST_TEST(has(text, "truncation falls as h^2.0, and rounding grows as h^-"), text);
}

BOOST_AUTO_TEST_CASE(each_error_is_plotted_at_its_decade_and_step) {
  const StepCurves curves = smooth();
  const std::vector<std::string> lines = lines_of(step_text(curves, 80));
  const std::size_t first = 1 + (lines[1][4] == '1' ? 0 : 1);  // the title may take two lines
  for (const StepCurve* curve : {&curves.plain, &curves.fine})
    for (std::size_t i = 0; i < curve->steps.size(); ++i) {
      const auto row = static_cast<std::size_t>(std::lround(-std::log10(curve->errors[i])));
      const char mark = lines.at(first + row).at(6 + 2 * i);
      BOOST_TEST((mark == '*' || mark == (curve->order == 4 ? '4' : '2')), lines.at(first + row)
                                                                               << " at " << i);
    }
}

BOOST_AUTO_TEST_CASE(explains_other_curves) {
  const std::string text = step_text(wrong(), 1000);
  BOOST_TEST(has(text, "the differences match the gradient at no step"), text);
  const StepCurves square = of([](const auto& in) { return in[0] * in[0]; });
  BOOST_TEST(
      has(step_text(square, 1000), "there is no truncation error, and rounding grows as h^-"));
  const StepCurves none = of([](const auto&) { return scalar(1, DType::f64); });
  BOOST_TEST(has(step_text(none, 1000), "there is neither truncation nor rounding error"));
}

BOOST_AUTO_TEST_CASE(ops_and_layers_on_the_command_line) {
  for (const std::string name : {"softmax", "MLP"}) {
    const json document = json_of("gradcheck --steps --json " + name);
    BOOST_TEST(document["name"].get<std::string>().rfind(name, 0) == 0u);
    for (const json& curve : document["curves"]) {
      BOOST_TEST(curve["points"].size() == 34u);
      BOOST_TEST(curve["least_error"].get<double>() < 1e-7);
      BOOST_TEST(std::abs(curve["truncation"].get<double>() - curve["order"].get<double>()) < 0.5);
    }
  }
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  expect_refused("gradcheck --steps", "--steps needs one op or layer, as in gradcheck exp --steps");
  expect_refused("gradcheck exp tanh --steps",
                 "--steps needs one op or layer, as in gradcheck exp --steps");
  expect_refused("gradcheck arange --steps", "arange has no gradient");
  expect_refused("gradcheck epx --steps", "unknown op or layer 'epx'; did you mean 'exp'?");
}

// A custom op without built-in samples, which is correct at its own samples.
BOOST_AUTO_TEST_CASE(custom_ops_have_curves_and_sample_ranges) {
  Registry registry = make_registry();
  const auto triple = [](const Tensor& x) {
    return record("triple_above", 3 * x.detached(), {x},
                  [](const Tensor& dy) { return Grads{3 * dy}; });
  };
  registry.op({"triple_above", "y = 3 x", {"dx = 3 dy"}, triple, {"x"}},
              {{tensor({0.5, 2}, DType::f64)}, {tensor({1}, {1, 1}, DType::f64)}});
  const Output steps = command("gradcheck triple_above --steps", registry);
  BOOST_TEST(steps.text.rfind("triple_above: the largest relative error", 0) == 0u, steps.text);
  const Output checked = done("gradcheck triple_above", registry);
  BOOST_TEST(has(checked.text, "  ok\n  samples: x (2), (1, 1) from 0.5 to 2\n"), checked.text);
}

BOOST_AUTO_TEST_SUITE_END()
