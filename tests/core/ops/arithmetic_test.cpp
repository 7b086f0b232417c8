#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(arithmetic)

namespace {

using Binary = Tensor (*)(const Tensor&, const Tensor&);

using tapehead::slope;  // the overload for functions of one tensor
/// Returns the gradient of a (0) or b (1) for dy = 1.
Tensor slope(Binary op, std::size_t which, const std::vector<double>& a,
             const std::vector<double>& b) {
  const Function f = [=](const Operands& in) { return op(in[0], in[1]); };
  return gradient(f, {f64(a), f64(b)}, ones({f64(a).size()}, DType::f64), which);
}

Tensor clamp_to_1(const Tensor& x) { return clamp(x, -0.5, 1); }
Tensor square(const Operands& in) { return in[0] * in[0]; }
Tensor power(const Operands& in) { return pow(in[0], in[1]); }
/// Returns the gradient of a^b with respect to a.
Tensor slope_of_power(const Operands& in) {
  const Tensor y = power(in);
  return Tape::current()->backward(y, ones(y.shape(), DType::f64), {true})[in[0]];
}

void expect_errors(const std::string& name, Binary op, bool of_i32 = false) {
  EXPECT_REFUSED(op(zeros({2, 3}), zeros({2})),
                 name + ": (2, 3) and (2) don't broadcast: sizes 3 and 2 at axis -1");
  EXPECT_REFUSED(op(zeros({2}), zeros({2}, DType::f64)),
                 name + ": types f32 and f64 differ; convert one with cast(x, DType::f32)");
  EXPECT_REFUSED(op(zeros({2}, DType::i32), zeros({2})),
                 name + ": types i32 and f32 differ; convert one with cast(x, DType::i32)");
  EXPECT_REFUSED(op({}, zeros({2}, DType::i32)),
                 name +
                     ": tensor 1 of 2 is null: it was never set, was moved from, or is an absent "
                     "parameter");
  if (of_i32) return;
  EXPECT_REFUSED(op(zeros({2}, DType::i32), zeros({2}, DType::i32)),
                 name + ": expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

}  // namespace

BOOST_AUTO_TEST_CASE(add_values) {
  expect("numbers", add(f64({1.5, -2, 1e308, infinity}), f64({2, 2, 1e308, -infinity})),
         f64({3.5, 0, infinity, NAN}));
  expect("f32 stays f32", add(tensor({1, 16777216}), tensor({0.5, 1})), tensor({1.5, 16777216}));
  expect("both broadcast", add(tensor({10, 20}, {2, 1}), tensor({1, 2, 3})),
         tensor({11, 12, 13, 21, 22, 23}, {2, 3}));
  expect("a number takes the tensor's type", 2 + f64({1}) + 3, f64({6}));
}

BOOST_AUTO_TEST_CASE(sub_values) {
  expect("numbers", sub(f64({1.5, -2, infinity}), f64({2, -2, infinity})), f64({-0.5, 0, NAN}));
  expect("f32 stays f32", sub(tensor({1}), tensor({0.75})), tensor({0.25}));
  expect("numbers on either side", 5 - (f64({1}) - 3), f64({7}));
}

BOOST_AUTO_TEST_CASE(mul_values) {
  expect("numbers", mul(f64({1.5, -2, 1e200, 0, NAN}), f64({2, 3, 1e200, infinity, 0})),
         f64({3, -6, infinity, NAN, NAN}));
  expect("f32 stays f32", mul(tensor({3}), tensor({0.5})), tensor({1.5}));
  expect("the gradient of a square adds up", gradient(square, {f64({3})}, f64({1})), f64({6}));
}

BOOST_AUTO_TEST_CASE(div_values) {
  expect("numbers", div(f64({3, 1, -1, 0, 1, 1}), f64({2, 0, 0, 0, infinity, 3})),
         f64({1.5, infinity, -infinity, NAN, 0, 0.3333333333333333}));
  expect("f32 stays f32", div(tensor({1}), tensor({3})), tensor({0.3333333432674408}));
  expect("a tiny divisor's square doesn't vanish", slope(div, 1, {0, 1e-200}, {1e-200, 1e-200}),
         f64({0, -1e200}));
  expect("nor does a huge one's overflow", slope(div, 1, {0x1p800}, {0x1p700}), f64({-0x1p-600}));
}

BOOST_AUTO_TEST_CASE(pow_values) {
  expect("numbers", pow(f64({3, -2, 2, 10, 1.5}), f64({2, 3, -2, -0.5, 2.5})),
         f64({9, -8, 0.25, 0.31622776601683793, 2.7556759606310754}), 1e-16);
  expect("x^0 is 1", pow(f64({0, -1, infinity, -infinity, NAN}), f64({0, 0, 0, 0, 0})),
         ones({5}, DType::f64));
  expect("1^x is 1", pow(f64({1, 1, 1}), f64({infinity, -infinity, NAN})), ones({3}, DType::f64));
  expect("0^x", pow(f64({0, 0, 0, 0}), f64({3, 0.5, -1, NAN})), f64({0, 0, infinity, NAN}));
  expect("infinities",
         pow(f64({infinity, infinity, -infinity, 0.5, 2}), f64({2, -1, 3, infinity, 1024})),
         f64({infinity, 0, -infinity, 0, infinity}));
  expect("roots of negative numbers", pow(f64({-8, NAN}), f64({1.0 / 3, 1})), f64({NAN, NAN}));
  expect("f32 is exact", pow(tensor({10, 3, 1.5}), tensor({31, 2, 1})), tensor({1e31, 9, 1.5}));
  expect("a's slope at 0", slope(pow, 0, {0, 0, 0, 0}, {3, 1, 0, 0.5}), f64({0, 1, 0, infinity}));
  expect("a's slope where the exponent is 0",
         slope(pow, 0, {0, 5e-324, -1e-310, infinity, NAN}, {0, 0, 0, 0, 0}),
         zeros({5}, DType::f64));
  expect("in f32", gradient(power, {tensor({1e-45, 1e-40}), zeros({2})}, ones({2})), zeros({2}));
  expect("and that grows with the exponent",
         gradient(slope_of_power, {f64({2, 4}), f64({0, 0})}, f64({1, 1}), 1), f64({0.5, 0.25}));
  expect("a's slope where the exponent is NaN", slope(pow, 0, {0, 2}, {NAN, NAN}), f64({NAN, NAN}));
  expect("b's slope at 0", slope(pow, 1, {0, 0, 0, 0}, {2, 0, -1, NAN}),
         f64({0, 0, -infinity, NAN}));
  expect("b's slope at 1", slope(pow, 1, {1, 1}, {5, NAN}), f64({0, 0}));
  expect("b's slope below 0", slope(pow, 1, {-2}, {2}), f64({NAN}));
}

BOOST_AUTO_TEST_CASE(maximum_values) {
  expect("numbers", maximum(f64({1, -2, -infinity, 5}), f64({0.5, 3, -7, infinity})),
         f64({1, 3, -7, infinity}));
  expect("NaN on either side", maximum(f64({NAN, 1, NAN}), f64({1, NAN, infinity})),
         f64({NAN, NAN, NAN}));
  expect("f32 stays f32", maximum(tensor({1}), tensor({2})), tensor({2}));
  expect("a's slope", slope(maximum, 0, {1, 2, 3}, {2, 2, 2}), f64({0, 0.5, 1}));
  expect("a's slope at NaN", slope(maximum, 0, {NAN, 1, NAN}, {2, NAN, NAN}), f64({NAN, 0, NAN}));
  expect("b's slope at NaN", slope(maximum, 1, {NAN, 1, NAN}, {2, NAN, NAN}), f64({0, NAN, NAN}));
  expect("b's slope", slope(maximum, 1, {1, 2, 3}, {2, 2, 2}), f64({1, 0.5, 0}));
}

BOOST_AUTO_TEST_CASE(minimum_values) {
  expect("numbers", minimum(f64({1, -2, -infinity, 5}), f64({0.5, 3, -7, infinity})),
         f64({0.5, -2, -infinity, 5}));
  expect("NaN on either side", minimum(f64({NAN, 1, NAN}), f64({1, NAN, infinity})),
         f64({NAN, NAN, NAN}));
  expect("f32 stays f32", minimum(tensor({1}), tensor({2})), tensor({1}));
  expect("a's slope", slope(minimum, 0, {1, 2, 3}, {2, 2, 2}), f64({1, 0.5, 0}));
  expect("a's slope at NaN", slope(minimum, 0, {NAN, 1, NAN}, {2, NAN, NAN}), f64({NAN, 0, NAN}));
  expect("b's slope at NaN", slope(minimum, 1, {NAN, 1, NAN}, {2, NAN, NAN}), f64({0, NAN, NAN}));
  expect("b's slope", slope(minimum, 1, {1, 2, 3}, {2, 2, 2}), f64({0, 0.5, 1}));
}

BOOST_AUTO_TEST_CASE(operands_that_are_refused) {
  expect_errors("add", add, true);
  expect_errors("sub", sub, true);
  expect_errors("mul", mul, true);
  expect_errors("div", div);
  expect_errors("pow", pow, true);
  expect_errors("maximum", maximum, true);
  expect_errors("minimum", minimum, true);
}

// ---- i32, without gradients

namespace {

constexpr double least = -2147483648.0, most = 2147483647;

/// Checks op of 7, -3, 0 with 2, and op with broadcasting of rows and columns.
void expect_of_i32(Binary op, const std::vector<double>& with_2) {
  expect("numbers", op(i32({7, -3, 0}, {3}), i32({2}, {1})), i32(with_2, {3}));
  expect("a number beside it", op(i32({7, -3, 0}, {3}), number(2, i32({}, {0}))), i32(with_2, {3}));
  expect("both broadcast", op(i32({7, -3}, {2, 1}), i32({2, 2, 2}, {3})),
         i32({with_2[0], with_2[0], with_2[0], with_2[1], with_2[1], with_2[1]}, {2, 3}));
  expect("rank 0", op(i32({-3}, {}), i32({2}, {})), i32({with_2[1]}, {}));
  expect("no elements", op(i32({}, {0, 3}), i32({1, 2, 3}, {3})), i32({}, {0, 3}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_whole_numbers) {
  expect_of_i32(add, {9, -1, 2});
  expect_of_i32(sub, {5, -5, -2});
  expect_of_i32(mul, {14, -6, 0});
  expect_of_i32(maximum, {7, 2, 2});
  expect_of_i32(minimum, {2, -3, 0});
  expect_of_i32(pow, {49, 9, 0});
  const Tensor ends = i32({least, most}, {2}), ones = i32({1, 1}, {2});
  expect("up to the ends", add(mul(ends, ones), i32({most, least}, {2})), i32({-1, -1}, {2}));
  expect("of the ends", maximum(ends, i32({0}, {})), i32({0, most}, {2}));
  expect("in memory that would be reused", add(ones, mul(ones, ones)), i32({2, 2}, {2}));
  expect("with operators", 2 - i32({3, 1}, {2}) * 4 + 1, i32({-9, -1}, {2}));
}

BOOST_AUTO_TEST_CASE(whole_numbers_that_do_not_fit) {
  const Tensor ends = i32({least, most}, {2});
  EXPECT_REFUSED(ends + 1, "add: 2147483647 and 1 give 2147483648, which doesn't fit an i32");
  EXPECT_REFUSED(ends - 1, "sub: -2147483648 and 1 give -2147483649, which doesn't fit an i32");
  EXPECT_REFUSED(ends * ends,
                 "mul: -2147483648 and -2147483648 give 4611686018427387904, which doesn't fit an "
                 "i32");
  EXPECT_REFUSED(ends * 0.5, "tensor: 0.5 isn't a 32-bit integer");
}

BOOST_AUTO_TEST_CASE(powers_of_whole_numbers) {
  expect("of 0, 1 and -1",
         pow(i32({0, 0, 1, -1, -1, -1}, {6}), i32({0, most, most, most, 0, 2}, {6})),
         i32({1, 0, 1, -1, 1, 1}, {6}));
  expect("every bit", pow(i32({3, -2, 46340}, {3}), i32({19, 31, 2}, {3})),
         i32({1162261467, least, 2147395600}, {3}));
  EXPECT_REFUSED(pow(i32({2}, {1}), i32({-1}, {1})),
                 "pow: i32 2 has the negative exponent -1; convert the base with cast(a, "
                 "DType::f32)");
  EXPECT_REFUSED(pow(i32({2}, {1}), i32({31}, {1})),
                 "pow: 2 and 31 give 2147483648, which doesn't fit an i32");
  EXPECT_REFUSED(pow(i32({-3}, {1}), i32({most}, {1})), "pow: (-3)^2147483647 doesn't fit an i32");
}

BOOST_AUTO_TEST_CASE(whole_numbers_are_constants) {
  const Tensor x = f64({1, 2, 4}), ids = i32({1, 0}, {2});
  Tape tape;
  tape.watch(x);
  const Tensor y = gather_rows(x, ids * 2 - minimum(ids, ids));  // elements 1 and 0
  expect("a gradient by way of computed ids", tape.backward(y, f64({3, 5}))[x], f64({5, 3, 0}));
}

// ---- functions of one tensor; the expected numbers are from mpmath with 40 digits

BOOST_AUTO_TEST_CASE(neg_values) {
  expect("numbers", neg(f64({2, -3, infinity, NAN})), f64({-2, 3, -infinity, NAN}));
  expect("0 becomes -0", 1 / -f64({0, -0.0}), f64({-infinity, infinity}));
  expect("f32 stays f32", neg(tensor({2})), tensor({-2}));
}

BOOST_AUTO_TEST_CASE(exp_values) {
  expect("numbers", exp(f64({0, 1, -1, 0.5, 10})),
         f64({1, 2.7182818284590452, 0.36787944117144232, 1.6487212707001281, 22026.465794806717}),
         3e-16);
  expect("near the largest number", exp(f64({709.7, 709.8})),
         f64({1.6549840276802644e+308, infinity}), 5e-16);
  expect("near the smallest", exp(f64({-745, -746})), f64({4.9406564584124654e-324, 0}));
  expect("infinity, NaN", exp(f64({infinity, -infinity, NAN})), f64({infinity, 0, NAN}));
  expect("the ends of f32", exp(tensor({88.7, 88.8, -103, -104.5})),
         tensor({3.3259768301593062e+38, infinity, 1.401298464324817e-45, 0}), 3e-7);
  expect("f32", exp(tensor({1})), tensor({2.7182818284590452}), 1e-7);
}

BOOST_AUTO_TEST_CASE(log_values) {
  expect("numbers", log(f64({1, 2, 10, 0.5, 1.0000001})),
         f64({0, 0.69314718055994531, 2.3025850929940457, -0.69314718055994531,
              9.9999995058387045e-8}),
         3e-16);
  expect("0 and below", log(f64({0, -0.0, -1, -infinity})), f64({-infinity, -infinity, NAN, NAN}));
  expect("infinity, NaN", log(f64({infinity, NAN})), f64({infinity, NAN}));
  expect("the smallest number", log(f64({4.9406564584124654e-324})), f64({-744.44007192138126}),
         3e-16);
  expect("a denormal f32", log(tensor({1e-40})), tensor({-92.103409109664877}), 1e-7);
}

BOOST_AUTO_TEST_CASE(log1p_values) {
  expect(
      "numbers", log1p(f64({0, 1, 0.5, -0.5, 10})),
      f64({0, 0.69314718055994531, 0.40546510810816438, -0.69314718055994531, 2.3978952727983705}),
      3e-16);
  expect("near 0", log1p(f64({1e-10, -1e-10, 1e-300, 4.9406564584124654e-324})) * 1e10,
         f64({0.99999999995, -1.00000000005, 1e-290, 4.9406564584124654e-314}), 3e-16);
  expect("near -1", log1p(f64({-0.99999999999999989})), f64({-36.736800569677101}), 3e-16);
  expect("huge", log1p(f64({1e300})), f64({690.77552789821371}), 3e-16);
  expect("-1 and below", log1p(f64({-1, -1.5, -infinity})), f64({-infinity, NAN, NAN}));
  expect("infinity, NaN", log1p(f64({infinity, NAN})), f64({infinity, NAN}));
  expect("-0 stays -0", 1 / log1p(f64({-0.0})), f64({-infinity}));
  expect("f32", log1p(tensor({1e-5, -0.75, 3e38})),
         tensor({9.9999497477146087e-6, -1.3862943611198906, 88.596847547}), 1e-7);
  expect("f32 near 0", log1p(tensor({1e-5, 1e-30, 1e-45})) * 1e5,
         tensor({0.99999497477146087, 1e-25, 1.4e-40}), 1e-7);
  expect("its slope", slope(log1p, {0, 1, -0.5, infinity, -1}), f64({1, 0.5, 2, 0, infinity}));
}

BOOST_AUTO_TEST_CASE(sqrt_values) {
  expect("numbers", sqrt(f64({0, 4, 2, 1e-300, 1e300})),
         f64({0, 2, 1.414213562373095, 1e-150, 1e150}), 3e-16);
  expect("infinity, NaN, below 0", sqrt(f64({infinity, NAN, -1})), f64({infinity, NAN, NAN}));
  expect("f32 stays f32", sqrt(tensor({9})), tensor({3}));
  expect("the slope at 0", slope(sqrt, {0, infinity}), f64({infinity, 0}));
}

BOOST_AUTO_TEST_CASE(abs_values) {
  expect("numbers", abs(f64({2, -3, 0, -infinity, NAN})), f64({2, 3, 0, infinity, NAN}));
  expect("f32 stays f32", abs(tensor({-2})), tensor({2}));
  expect("its slope", slope(abs, {2, -3, 0, -infinity, NAN}), f64({1, -1, 0, -1, NAN}));
}

BOOST_AUTO_TEST_CASE(sin_values) {
  expect("numbers", sin(f64({0, 1, 0.5})), f64({0, 0.84147098480789651, 0.479425538604203}), 3e-16);
  expect("after many turns", sin(f64({1e6, 1e15})),
         f64({-0.34999350217129295, 0.85827279317023584}), 3e-16);
  expect("infinity, NaN", sin(f64({infinity, -infinity, NAN})), f64({NAN, NAN, NAN}));
  expect("f32", sin(tensor({1e6})), tensor({-0.34999350217129295}), 1e-7);
}

BOOST_AUTO_TEST_CASE(cos_values) {
  expect("numbers", cos(f64({0, 1, 0.5})), f64({1, 0.54030230586813972, 0.87758256189037272}),
         3e-16);
  expect("after many turns", cos(f64({1e6, 1e15})),
         f64({0.93675212753314479, -0.51319373778697025}), 3e-16);
  expect("infinity, NaN", cos(f64({infinity, -infinity, NAN})), f64({NAN, NAN, NAN}));
  expect("f32", cos(tensor({1e6})), tensor({0.93675212753314479}), 1e-7);
}

BOOST_AUTO_TEST_CASE(erf_values) {
  expect(
      "numbers", erf(f64({0, 0.5, 1, -2, 3})),
      f64({0, 0.52049987781304654, 0.84270079294971487, -0.99532226501895273, 0.99997790950300141}),
      3e-16);
  expect("huge, infinity, NaN", erf(f64({1e200, -1e200, infinity, -infinity, NAN})),
         f64({1, -1, 1, -1, NAN}));
  expect("f32", erf(tensor({0.5, 1e30})), tensor({0.52049987781304654, 1}), 2e-7);
  expect("the slope at infinity", slope(erf, {1e200, -infinity}), f64({0, 0}));
}

BOOST_AUTO_TEST_CASE(clamp_values) {
  expect("numbers", clamp_to_1(f64({-3, -0.5, 0.25, 1, 7})), f64({-0.5, -0.5, 0.25, 1, 1}));
  expect("infinity, NaN", clamp_to_1(f64({infinity, -infinity, NAN})), f64({1, -0.5, NAN}));
  expect("f32 stays f32", clamp_to_1(tensor({2})), tensor({1}));
  expect("one bound alone", clamp(f64({-5, 5}), 0, infinity), f64({0, 5}));
  expect("i32", clamp(i32({-3, 1, 5}, {3}), -1, 4), i32({-1, 1, 4}, {3}));
  expect("i32, one bound alone", clamp(i32({-3, 5}, {2}), -1, infinity), i32({-1, 5}, {2}));
  expect("its slope at the bounds and beyond", slope(clamp_to_1, {-3, -0.5, 1, 7, NAN}),
         f64({0, 1, 1, 0, NAN}));
}

BOOST_AUTO_TEST_CASE(clamp_errors) {
  EXPECT_REFUSED(clamp(scalar(1), 2, 1), "clamp: low is 2 and high 1, expected low <= high");
  EXPECT_REFUSED(clamp(scalar(1), NAN, 1), "clamp: low is nan and high 1, expected low <= high");
  EXPECT_REFUSED(clamp(zeros({2}, DType::i32), 0.5, 1), "tensor: 0.5 isn't a 32-bit integer");
}

BOOST_AUTO_TEST_CASE(integers_are_refused) {
  expect_floats_only("neg", neg);
  expect_floats_only("exp", exp);
  expect_floats_only("log", log);
  expect_floats_only("log1p", log1p);
  expect_floats_only("sqrt", sqrt);
  expect_floats_only("abs", abs);
  expect_floats_only("sin", sin);
  expect_floats_only("cos", cos);
  expect_floats_only("erf", erf);
}

BOOST_AUTO_TEST_SUITE_END()
