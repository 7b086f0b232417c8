#include "../check.hpp"
#include "../../../tests/shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(check)

namespace {

Tensor square(const std::vector<Tensor>& in) { return in[0] * in[0]; }
Tensor near_square(const std::vector<Tensor>& in) { return in[0] * in[0] * (1 + 1e-9); }
/// x^2, whose rule gives `factor` times its gradient and can't be differentiated again.
Function by_kernel(double factor) {
  return [=](const std::vector<Tensor>& in) {
    const Tensor x = in[0].detached();
    return record("kernel", x * x, {in[0]},
                  [=](const Tensor& dy) { return Grads{dy * x * (2 * factor)}; });
  };
}

OpSample sample_of(const samples::Function& f, const samples::Function& decomposition = {}) {
  return {"three numbers", {tensor({1, -2, 3}, DType::f64)}, f, decomposition};
}
/// As a user's layer may be: x^2, by a kernel.
struct Square : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return by_kernel(1)({x}); }
  void visit(Visitor&) override {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(compares_everything_that_a_sample_offers) {
  const CheckReport all = tapehead::check("square", {sample_of(square, square)});
  BOOST_TEST(all.name == "square");
  BOOST_TEST(all.passed());
  BOOST_TEST_REQUIRE(all.checks.size() == 4U);
  std::string kinds;
  for (const Check& each : all.checks) kinds += fmt::format("{}, ", to_string(each.kind));
  BOOST_TEST(kinds ==
             "gradient, second gradient, decomposition's value, decomposition's gradient, ");
  BOOST_TEST(tapehead::check("arange", {}).passed());
}

BOOST_AUTO_TEST_CASE(names_the_comparison_that_failed) {
  const auto worst_of = [](const OpSample& sample) {
    const CheckReport report = tapehead::check("square", {sample});
    BOOST_TEST(!report.passed());
    return to_string(report.worst());
  };
  const auto begins = [](const std::string& text, const std::string& begin) {
    BOOST_TEST(text.substr(0, begin.size()) == begin, text);
  };
  begins(worst_of(sample_of([](const auto& in) { return by_kernel(1.0005)(in); })),
         "three numbers, gradient: input 0 element 0, output 0: backward ");
  begins(worst_of(sample_of(by_kernel(1))),
         "three numbers, second gradient: input 0 element 0, output 0: backward 0, ");
  begins(worst_of(sample_of(square, near_square)), "three numbers, decomposition's ");
}

BOOST_AUTO_TEST_CASE(holds_a_decomposition_to_more_than_differences_can_see) {
  const CheckReport report = tapehead::check("square", {sample_of(square, near_square)});
  BOOST_TEST(report.checks[0].result.passed);
  BOOST_TEST(report.checks[1].result.passed);
  BOOST_TEST(to_string(report.checks[2]) ==
             "three numbers, decomposition's value: element 0: op 1, decomposition "
             "1.0000000010000001, relative "
             "error 1.0e-09");
  BOOST_TEST(!report.checks[2].result.passed);
  BOOST_TEST(!report.checks[3].result.passed);
}

BOOST_AUTO_TEST_CASE(a_layer_is_checked_twice_unless_it_says_why_not) {
  LayerEntry entry{"square", "", [] { return std::make_unique<Square>(); },
                   tensor({1, -2, 3}, DType::f64)};
  const CheckReport twice = check_layer(entry);
  BOOST_TEST_REQUIRE(twice.checks.size() == 2U);
  BOOST_TEST(twice.checks[0].result.passed);
  BOOST_TEST(!twice.checks[1].result.passed);
  const std::string begin = "second gradient: the input element 0, output 0: backward 0, ";
  BOOST_TEST(to_string(twice.worst()).substr(0, begin.size()) == begin, to_string(twice.worst()));
  entry.first_only = "its kernel can't be differentiated again";
  BOOST_TEST(check_layer(entry).passed());
}

BOOST_AUTO_TEST_CASE(refuses_a_decomposition_of_another_shape) {
  const Function total = [](const std::vector<Tensor>& in) { return sum(in[0]); };
  EXPECT_ERROR(ShapeError, tapehead::check("square", {sample_of(square, total)}),
               "gradcheck: the op gives f64 (3), and its decomposition f64 ()");
}

BOOST_AUTO_TEST_SUITE_END()
