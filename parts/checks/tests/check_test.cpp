#include "../check.hpp"
#include "../../../tests/shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(check)

namespace {

/// Returns x^2 with a backward function scaled by `factor` and without a second derivative.
Tensor by_kernel(const Tensor& x, double factor) {
  const Tensor value = x.detached();
  return record("kernel", value * value, {x},
                [=](const Tensor& dy) { return Grads{dy * value * (2 * factor)}; });
}
/// Returns x^2, with a decomposition.
Tensor fused(const Tensor& x, const std::function<Tensor()>& decomposition) {
  const Tensor value = x.detached();
  return record(
      "square", value * value, {x}, [=](const Tensor& dy) { return Grads{dy * x * 2.0}; },
      decomposition);
}
Tensor square(const Tensor& x) {
  return fused(x, [=] { return x * x; });
}
Tensor near_square(const Tensor& x) {
  return fused(x, [=] { return x * x * (1 + 1e-9); });
}

Op op_of(Tensor (*f)(const Tensor&)) { return {"square", "y = x^2", {"dx = 2 dy x"}, f, {"x"}}; }
const OpSample three_numbers = {"three numbers", {tensor({1, -2, 3}, DType::f64)}};

/// A layer as a user may write it: x^2 in a kernel.
struct Square : Module {
  Tensor forward(const Tensor& x, Pass&) const override { return by_kernel(x, 1); }
  void visit(Visitor&) override {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_samples_inputs_are_its_distinct_float_tensors) {
  const Op affine{
      "affine",
      "",
      {},
      [](const Tensor& x, const Tensor& m, const Tensor& b, const Tensor& ids, double factor) {
        return x * factor + m * (b ? b : x) + cast(ids, DType::f64);
      },
      {"x", "m", optional("b"), ids("ids"), {"factor", 1.0}}};
  const Tensor x = tensor({2}, DType::f64), m = tensor({3}, DType::f64);
  const Tensor one = tensor({1}, DType::i32);
  const auto inputs = [&](const OpSample& sample) {
    return make_call(affine, sample).inputs.size();
  };
  BOOST_TEST(inputs({"", {x, m, m, one}}) == 2U);
  BOOST_TEST(inputs({"", {x, m, {}, one}}) == 2U);
  BOOST_TEST(inputs({"", {x, m, x, one}, {}, {1}}) == 1U);
  const SampleCall call = make_call(affine, {"", {x, m, x, one}, {{"factor", 10.0}}});
  expect_equal(call.f({scalar(5, DType::f64), scalar(7, DType::f64)}), {50 + 7 * 5 + 1});
  BOOST_TEST(!call.decomposition);
}

BOOST_AUTO_TEST_CASE(runs_all_comparisons) {
  const CheckReport all = tapehead::check(op_of(square), {three_numbers});
  BOOST_TEST(all.name == "square");
  BOOST_TEST(all.passed());
  BOOST_TEST_REQUIRE(all.checks.size() == 4U);
  std::string kinds;
  for (const Check& each : all.checks) kinds += fmt::format("{}, ", to_string(each.kind));
  BOOST_TEST(kinds ==
             "gradient, second gradient, decomposition's value, decomposition's gradient, ");
  BOOST_TEST(tapehead::check(*find_op("arange"), {}).passed());
}

BOOST_AUTO_TEST_CASE(names_the_comparison_that_failed) {
  const auto worst_of = [](Tensor (*f)(const Tensor&)) {
    const CheckReport report = tapehead::check(op_of(f), {three_numbers});
    BOOST_TEST(!report.passed());
    return to_string(report.worst());
  };
  const auto begins = [](const std::string& text, const std::string& begin) {
    BOOST_TEST(text.substr(0, begin.size()) == begin, text);
  };
  begins(worst_of([](const Tensor& x) { return by_kernel(x, 1.0005); }),
         "three numbers, gradient: input 0 element 0, output 0: backward ");
  begins(worst_of([](const Tensor& x) { return by_kernel(x, 1); }),
         "three numbers, second gradient: input 0 element 0, output 0: backward 0, ");
  begins(worst_of(near_square), "three numbers, decomposition's ");
}

BOOST_AUTO_TEST_CASE(decompositions_have_tight_tolerances) {
  const CheckReport report = tapehead::check(op_of(near_square), {three_numbers});
  BOOST_TEST(report.checks[0].result.passed);
  BOOST_TEST(report.checks[1].result.passed);
  BOOST_TEST(to_string(report.checks[2]) ==
             "three numbers, decomposition's value: element 0: op 1, decomposition "
             "1.0000000010000001, relative "
             "error 1.0e-09");
  BOOST_TEST(!report.checks[2].result.passed);
  BOOST_TEST(!report.checks[3].result.passed);
}

BOOST_AUTO_TEST_CASE(second_gradients_of_layers_are_checked_unless_refused) {
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
  const Op total = op_of([](const Tensor& x) { return fused(x, [=] { return sum(x * x); }); });
  EXPECT_ERROR(ShapeError, tapehead::check(total, {three_numbers}),
               "gradcheck: the op returns f64 (3), but its decomposition f64 ()");
}

BOOST_AUTO_TEST_SUITE_END()
