#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../expressions.hpp"
#include "../tapes.hpp"

#include <cmath>
#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(compare)

namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = std::numeric_limits<double>::denorm_min(),
                 greatest = std::numeric_limits<double>::max();

TensorDifference of(const std::vector<double>& a, const std::vector<double>& b,
                    DType dtype = DType::f64) {
  return difference_of(tensor(a, dtype), tensor(b, dtype));
}

/// Two tapes and their comparison.
struct Compared {
  ComparedExpressions both;
  ComparedTapes tapes;
  Compared(const std::string& a, const std::string& b, const Words& values)
      : both(compare_expressions(a, b, values)), tapes(compare_tapes(both.a, both.b)) {}
};

/// Formats the pairs of corresponding steps row by row, `0-0 1-2 -3`.
std::string pairs(const std::string& a, const std::string& b, const Words& values) {
  std::string text;
  for (const ComparedStep& row : Compared(a, b, values).tapes.rows) {
    if (!text.empty()) text += ' ';
    text +=
        (row.a < 0 ? "" : std::to_string(row.a)) + "-" + (row.b < 0 ? "" : std::to_string(row.b));
  }
  return text;
}

using Cause = Divergence::Cause;

}  // namespace

// ---- numbers

BOOST_AUTO_TEST_CASE(bitwise_identical_numbers) {
  BOOST_TEST(same_bits(1, 1));
  BOOST_TEST(!same_bits(1, std::nextafter(1, 2)));
  BOOST_TEST(!same_bits(0., -0.));
  BOOST_TEST(same_bits(infinity, infinity));
  BOOST_TEST(!same_bits(infinity, -infinity));
  BOOST_TEST(same_bits(nan, -nan));
  BOOST_TEST(!same_bits(nan, 1));
  BOOST_TEST(!same_bits(1, nan));
}

BOOST_AUTO_TEST_CASE(ulps_count_the_numbers_between) {
  const auto ulps = [](double a, double b, DType dtype = DType::f64) {
    BOOST_TEST(ulps_between(a, b, dtype).value() == ulps_between(b, a, dtype).value());
    return ulps_between(a, b, dtype).value();
  };
  BOOST_TEST(ulps(1, 1) == 0u);
  BOOST_TEST(ulps(1, std::nextafter(1, 2)) == 1u);
  BOOST_TEST(ulps(2, std::nextafter(2, 1)) == 1u);
  BOOST_TEST(ulps(1, 2) == std::uint64_t{1} << 52);
  BOOST_TEST(ulps(0., -0.) == 0u);
  BOOST_TEST(ulps(0., smallest) == 1u);
  BOOST_TEST(ulps(-0., smallest) == 1u);
  BOOST_TEST(ulps(-smallest, smallest) == 2u);
  BOOST_TEST(ulps(-greatest, greatest) == 2 * 0x7fefffffffffffffu);
  BOOST_TEST(ulps(0.1F, std::nextafter(0.1F, 1.F), DType::f32) == 1u);
  BOOST_TEST(ulps(1, 2, DType::f32) == std::uint64_t{1} << 23);
  BOOST_TEST(ulps(-3, 4, DType::i32) == 7u);
  BOOST_TEST(ulps(nan, nan) == 0u);
  BOOST_TEST(ulps(infinity, infinity) == 0u);
  BOOST_TEST(!ulps_between(infinity, greatest, DType::f64));
  BOOST_TEST(!ulps_between(nan, 0, DType::f64));
}

BOOST_AUTO_TEST_CASE(tensors_differ_in_elements) {
  const TensorDifference found = of({1, 2, 3, 4}, {1, std::nextafter(2, 3), 3, 5});
  BOOST_TEST(!found.same());
  BOOST_TEST(found.differing == 2);
  BOOST_TEST(found.first.element == 1);
  BOOST_TEST(found.first.ulps.value() == 1u);
  BOOST_TEST(found.largest.element == 3);
  BOOST_TEST(found.largest.b == 5);
  BOOST_TEST(found.relative == 1 / std::sqrt(30), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(brief(found) == "1");
  BOOST_TEST(brief(of({1, 2}, {1, std::nextafter(2, 3)})) == "1 ulp");
  BOOST_TEST(brief(of({1, 2}, {1, 2})) == "=");
}

BOOST_AUTO_TEST_CASE(edges_of_tensors) {
  BOOST_TEST(of({nan, infinity}, {nan, infinity}).same());
  const TensorDifference zeros = of({0, 1}, {-0., 1});
  BOOST_TEST(!zeros.same());
  BOOST_TEST(zeros.ulps.value() == 0u);
  BOOST_TEST(zeros.relative == 0);
  BOOST_TEST(brief(zeros) == "sign of 0");
  const TensorDifference unbounded = of({1, 2, 9}, {2, nan, 0});
  BOOST_TEST(unbounded.largest.element == 1);
  BOOST_TEST(brief(unbounded) == "not finite");
  BOOST_TEST(brief(of({infinity}, {-infinity})) == "not finite");
  const auto shaped = [](const Shape& shape) { return tapehead::zeros(shape, DType::f64); };
  BOOST_TEST(difference_of(shaped({0, 3}), shaped({0, 3})).same());
  BOOST_TEST(brief(difference_of(shaped({0, 3}), shaped({3, 0}))) == "shape");
  BOOST_TEST(brief(difference_of(shaped({1}), shaped({}))) == "shape");
  const Tensor f32 = tensor({1, 2}, DType::f32), f64 = tensor({1, 2}, DType::f64);
  BOOST_TEST(!difference_of(f32, f64).same());
  BOOST_TEST(difference_of(f32, f64).differing == 0);
  BOOST_TEST(brief(difference_of(f32, f64)) == "type");
  BOOST_TEST(difference_of(tensor({0, 0}, DType::f64), f64).relative == infinity);
}

// ---- aligning steps

BOOST_AUTO_TEST_CASE(the_same_ops_are_aligned_by_their_numbers) {
  BOOST_TEST(pairs("x*x + x", "x*x + x", {"x=1", "x=2"}) == "0-0 1-1 2-2");
  BOOST_TEST(pairs("softmax(x)", "softmax(x, axis=0)", {"x=[1,2;3,4]"}) == "0-0 1-1");
}

BOOST_AUTO_TEST_CASE(other_ops_are_aligned_from_both_ends) {
  const Words x = {"x=0.3"};
  BOOST_TEST(pairs("tanh(x)*2", "sigmoid(x)*2", x) ==
             "0-0 1-1 2-2 3-3");  // same ops on the same inputs elsewhere
  BOOST_TEST(pairs("exp(x)", "log(exp(x))", x) == "0-0 -1 1-2");  // results correspond
  BOOST_TEST(pairs("exp(tanh(x))", "log(exp(tanh(x)))", x) == "0-0 1-1 -2 2-3");
  BOOST_TEST(pairs("x*2", "x*3", x) == "0-0 1-1 2-2");
  BOOST_TEST(pairs("x*x", "y*y", {"x=1", "y=1"}) == "0-0 1-1");  // variables by position
  BOOST_TEST(pairs("softmax(x) @ w", "exp(x)/sum(exp(x), axes=[-1], keep) @ w",
                   {"x=[1,2;3,4]", "w=[1;2]"}) == "0-0 1-1 -2 -3 -4 2-5 3-6");
  BOOST_TEST(pairs("a*b + a*c", "a*c + a*b", {"a=1", "b=2", "c=3"}) ==
             "0-0 1-1 2-2 3-4 4-3 5-5");  // two steps have swapped places
}

// ---- first difference

BOOST_AUTO_TEST_CASE(equal_tapes_have_no_difference) {
  const Compared same("x*x", "x*x", {"x=3"});
  BOOST_TEST(same.tapes.value.row == -1);
  BOOST_TEST(same.tapes.gradient.row == -1);
  BOOST_TEST(are_equal(same.both));
  // Both results are NaN.
  BOOST_TEST(are_equal(compare_expressions("log(x)", "log(x) + 0", {"x=-1"})));
  BOOST_TEST(!are_equal(compare_expressions("x*0", "x*-0", {"x=1"})));
  // The results are equal, but the gradients differ.
  BOOST_TEST(!are_equal(compare_expressions("x*x", "2*x", {"x=2"})));
  BOOST_TEST(!are_equal(compare_expressions("x*1", "x*1", {"x=1", "dy=1", "dy=2"})));
}

BOOST_AUTO_TEST_CASE(finds_the_first_different_value) {
  const Compared inputs("relu(x) + w*2", "relu(x) + w*2", {"x=-1", "x=-2", "w=2", "w=3"});
  BOOST_TEST(inputs.tapes.name(inputs.tapes.value.row) ==
             "mul 4");  // relu hides the difference of x
  BOOST_TEST(!inputs.tapes.rows[2].value_differs());
  BOOST_TEST((inputs.tapes.value.cause == Cause::inputs));
  BOOST_TEST(inputs.tapes.why_value() == "its inputs differ: w");

  const Compared itself("softmax(x)", "softmax(x, axis=0)", {"x=[1,2;3,4]"});
  BOOST_TEST((itself.tapes.value.cause == Cause::itself));
  BOOST_TEST(itself.tapes.why_value() == "its inputs are equal, so the options of softmax differ");

  const Compared swapped("a - b", "b - a", {"a=1", "b=3"});
  BOOST_TEST((swapped.tapes.value.cause == Cause::ops));
  BOOST_TEST(
      swapped.tapes.why_value() ==
      "A computes it with sub from a and b, B with sub from b and a; the inputs of both are equal");

  const Compared ops("2*exp(x)", "2*(1 + tanh(x))", {"x=1"});
  BOOST_TEST((ops.tapes.value.cause == Cause::ops));
  BOOST_TEST(ops.tapes.name(ops.tapes.value.row) == "exp 2 | add 4");
  BOOST_TEST(ops.tapes.why_value() ==
             "A computes it with exp from x, B with tanh and add from 1 and x; the inputs of both "
             "are equal");
}

BOOST_AUTO_TEST_CASE(finds_the_first_different_gradient) {
  const Compared inputs("x*w", "x*w", {"x=1", "w=2", "w=3"});
  BOOST_TEST(inputs.tapes.name(inputs.tapes.gradient.row) == "x");
  BOOST_TEST((inputs.tapes.gradient.cause == Cause::inputs));
  BOOST_TEST(inputs.tapes.why_gradient() ==
             "the backward function of mul uses values that differ: w");

  const Compared ops("x*x", "2*x", {"x=2"});
  BOOST_TEST((ops.tapes.gradient.cause == Cause::ops));
  BOOST_TEST(Compared("x*2", "x*(1 + 2)", {"x=1"}).tapes.why_gradient() ==
             "mul has different inputs in A and B");
  BOOST_TEST(ops.tapes.why_gradient() == "mul has different inputs in A and B");
  BOOST_TEST(
      Compared("exp(x)*2", "tanh(x)*2", {"x=1"}).tapes.why_gradient() ==
      "A backpropagates through exp, B through tanh, from the gradient of exp 1 | tanh 1, which is "
      "equal in both");

  const Compared start("x*1", "x*1", {"x=1", "dy=1", "dy=2"});
  BOOST_TEST(start.tapes.name(start.tapes.gradient.row) == "mul 2");
  BOOST_TEST((start.tapes.gradient.cause == Cause::start));

  const Compared order("a*b + a*c + a*d", "a*d + a*c + a*b", {"a=1", "b=0.1", "c=0.2", "d=0.3"});
  BOOST_TEST(order.tapes.name(order.tapes.gradient.row) == "a");
  BOOST_TEST((order.tapes.gradient.cause == Cause::order));
}

// ---- the command

BOOST_AUTO_TEST_CASE(shows_both_side_by_side) {
  const Output output = done(
      "compare 'softmax(x) @ w' 'exp(x)/sum(exp(x), axes=[-1], keep) @ w' 'x=randn(3, 4)' "
      "'w=randn(4, 2)'");
  BOOST_TEST(
      missing(output.text,
              {"A  softmax(x) @ w\n", "  2  softmax  0.353  5  div     0.353  2 ulps  <- first",
               "\n                     2  exp      3.94\n",
               "the results are equal up to rounding: they differ in ",
               "first value that differs: softmax 2 | div 5 at [0, 2], by 2 ulps\n"
               "  A  0.12013820563040456\n  B  0.12013820563040453\n"
               "  A computes it with softmax, B with exp, exp, sum and div, from x, which is\n"}) ==
      "");
  expect_plain(output.text);
  BOOST_TEST(missing(done("compare x*0 x*-0 x=1").text,
                     {"the results differ only in the sign of 0\n", "  A  0\n  B  -0\n"}) == "");
  BOOST_TEST(missing(done("compare 'sum(x)' 'sum(cast(x, type=f32))' 'x=[1, 0.1]'").text,
                     {"type  <- first", "  A  1.1 (f64)\n  B  1.100000023841858 (f32)\n"}) == "");
  BOOST_TEST(missing(done("compare 'sum(x)' 'x*1' 'x=[1, 2]'").text,
                     {"the results differ in shape: () and (2)\n", "  A  shape ()\n"}) == "");
  BOOST_TEST(missing(done("compare 1/x 1/-x x=0").text, {"  A  inf\n  B  -inf\n"}) == "");
}

BOOST_AUTO_TEST_CASE(recognizes_rounding) {
  for (const char* x : {"-3", "0.7", "2", "'[1, 2, 30]'"}) {
    const std::string line =
        fmt::format("compare 'sigmoid(x)' '1/(1+exp(-x))' {}",
                    x[0] == '\'' ? "'x=" + std::string(x + 1) : "x=" + std::string(x));
    const std::string text = done(line).text;
    BOOST_TEST(missing(text, {"are equal up to rounding"}) == "", text);
    BOOST_TEST(!has(text, "the results differ,"), text);
  }
  const std::string text = done("compare 'sigmoid(x)' '1/(1+exp(-x))' x=0.7").text;
  BOOST_TEST(
      missing(text, {"1 ulp (unit in the last place) is the distance to the next f64"}) == "",
      text);
  BOOST_TEST(!has(done("compare x*2 x*2.000001 x=1").text, "rounding"));
  BOOST_TEST(
      json_of(
          "compare 'a*b + a*c' 'a*(b + c)' a=0.1 b=0.7 c=0.3 --json")["result"]["only_rounding"] ==
      true);
}

BOOST_AUTO_TEST_CASE(json_output) {
  const json document = json_of("compare '1/x' '1/tanh(x)' 'x=[0, 1]' --json");
  BOOST_TEST(document["kind"] == "expressions");
  BOOST_TEST(document["equal"] == false);
  BOOST_TEST(document["a"]["expression"] == "1/x");
  BOOST_TEST(document["b"]["lines"].size() == 4u);
  BOOST_TEST(document["result"]["differing"] == 1);
  const json pairs = json::array({{0, 0}, {1, 1}, {nullptr, 2}, {2, 3}});
  BOOST_TEST_REQUIRE(document["rows"].size() == pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const json& row = document["rows"][i];
    BOOST_TEST(json::array({row["a"], row["b"]}) == pairs[i]);
    BOOST_TEST(row["value"].is_null() == pairs[i][0].is_null());
  }
  const json& value = document["first_value"];
  BOOST_TEST(value["row"] == 3);
  BOOST_TEST(value["step"] == "div 2 | div 3");
  BOOST_TEST(value["cause"] == "ops");
  BOOST_TEST(value["ops_b"] == json({"tanh", "div"}));
  BOOST_TEST(value["from_a"] == json({1, 0}));
  const json& first = document["rows"][3]["value"]["first"];
  BOOST_TEST(first["index"] == json({1}));
  BOOST_TEST(first["a"] == 1.0);
  BOOST_TEST(document["first_gradient"]["row"] == 0);
  const json infinite = json_of("compare '1/x' '1/-x' x=0 --json");
  BOOST_TEST(infinite["result"]["first"]["a"] == "inf");
  BOOST_TEST(infinite["result"]["first"]["b"] == "-inf");
  BOOST_TEST(infinite["result"]["ulps"].is_null());
  const json equal = json_of("compare x*1 x*1 x=1 --json");
  BOOST_TEST(equal["equal"] == true);
  BOOST_TEST(equal["first_value"].is_null());
  BOOST_TEST(equal["first_gradient"].is_null());
}

BOOST_AUTO_TEST_CASE(quiet_sets_the_exit_status) {
  const Output differs = command("compare x*2 x*3 x=1 --quiet");
  BOOST_TEST(differs.status == 1);
  BOOST_TEST(differs.text + differs.errors == "");
  const Output equal = command("compare x*2 x+x x=1 --quiet");
  BOOST_TEST(equal.status == 0);
  BOOST_TEST(equal.text + equal.errors == "");
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  const Elsewhere elsewhere;
  std::filesystem::create_directory("folder");
  expect_refused("compare x*1", "B is required; see tapehead compare --help");
  expect_refused("compare x*1 folder x=1",
                 "compare: 'folder' is a folder and 'x*1' isn't; expected two runs, or two "
                 "expressions");
  expect_refused("compare folder folder", "folder: not a run folder: it has no config.toml", 1);
  expect_refused("compare folder folder x=1", "compare: runs take no values, got 'x=1'");
  expect_refused("compare x*1 x* x=1",
                 "compare: 'x*': expected a number, a variable, a function or '(' at the end");
  expect_refused("compare x*1 y*1 x=1", "compare: y has no value; give it one, as in y=2");
  expect_refused("compare x*1 x*2 x=1 y=2",
                 "compare: y has a value, but neither expression uses it");
  expect_refused("compare x*1 x*2 x=1 x=2 x=3",
                 "compare: x has three values; give at most one per expression");
  expect_refused("compare x*1 x*2 x",
                 "compare: expected NAME=VALUE, as in x=2 or x=[1,2;3,4], got 'x'");
  expect_refused("compare -x x*2 x=1", "compare: '-x' looks like an option; write '(-x)'");
  expect_refused("compare x=1 -- -x x*2", "compare: '-x' looks like an option; write '(-x)'");
  expect_refused("compare x*1 x*2 x=1 --wrong", "unknown option --wrong");
  expect_refused("compare x*1 x*2 x=1 --step 2",
                 "compare: --example and --step need runs, but 'x*1' isn't a folder");
  expect_refused("compare x*1 x*2 x=1 --json --quiet", "compare: --json or --quiet, not both");
}

BOOST_AUTO_TEST_SUITE_END()
