#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(selection)

namespace {

using Comparison = Tensor (*)(const Tensor&, const Tensor&);

Tensor mask(const std::vector<double>& values) { return tensor(values, DType::i32); }
const Tensor matrix_mask = tensor({1, 0, 0, 1, 1, 0}, {2, 3}, DType::i32);

Function where_of(const Tensor& m) {
  return [=](const Operands& in) { return where(m, in[0], in[1]); };
}
Function filled(const Tensor& m) {
  return [=](const Operands& in) { return masked_fill(in[0], m, 7); };
}
Tensor cast_to_f32(const Operands& in) { return cast(in[0], DType::f32); }

/// Checks op. n: 1, 2, 3 with 2. special: NaN with NaN, infinity with infinity, and 0 with -0.
void expect_comparisons(Comparison op, const std::vector<double>& n,
                        const std::vector<double>& special) {
  expect("numbers", op(f64({1, 2, 3}), f64({2, 2, 2})), mask(n));
  expect("special numbers", op(f64({NAN, infinity, 0}), f64({NAN, infinity, -0.0})), mask(special));
  expect("f32", op(tensor({1, 2, 3}), scalar(2)), mask(n));
  expect("ids", op(mask({1, 2, 3}), scalar(2, DType::i32)), mask(n));
  expect("NaN with numbers", op(f64({NAN, 1}), f64({1, NAN})), mask({0, 0}));
  expect("both broadcast", op(tensor({1, 2}, {2, 1}), tensor({2, 2, 2})),
         i32({n[0], n[0], n[0], n[1], n[1], n[1]}, {2, 3}));
  expect("rank 0", op(scalar(3), scalar(2)), scalar(n[2], DType::i32));
  expect("no elements", op(zeros({0, 3}), zeros({3})), zeros({0, 3}, DType::i32));
}

void expect_errors(const std::string& name, Comparison op) {
  EXPECT_REFUSED(op(zeros({2, 3}), zeros({2})),
                 name + ": (2, 3) and (2) don't broadcast: sizes 3 and 2 at axis -1");
  EXPECT_REFUSED(op(zeros({2}), mask({1, 2})),
                 name + ": types f32 and i32 differ; convert one with cast(x, DType::f32)");
}

}  // namespace

BOOST_AUTO_TEST_CASE(where_values) {
  const Operands poisoned{f64({NAN, 1}), f64({2, infinity})};
  expect("what isn't taken may be NaN", where(mask({0, 1}), poisoned[0], poisoned[1]), f64({2, 1}));
  expect("a's gradient gets nothing where b is taken",
         gradient(where_of(mask({0, 1})), poisoned, f64({NAN, 7}), 0), f64({0, 7}));
  expect("b's gradient gets nothing where a is taken",
         gradient(where_of(mask({0, 1})), poisoned, f64({5, infinity}), 1), f64({5, 0}));
  expect("f32 stays f32", where(mask({1, 0}), tensor({1, 2}), tensor({3, 4})), tensor({1, 4}));
  expect("ids stay ids", where(mask({1, 0}), mask({7, 8}), scalar(-1, DType::i32)), mask({7, -1}));
}

BOOST_AUTO_TEST_CASE(where_errors) {
  EXPECT_REFUSED(where(tensor({1, 0}), scalar(1), scalar(2)),
                 "where: the mask is f32, expected i32; make one by comparing, as in mask > 0");
  EXPECT_REFUSED(where(mask({1, 0, 2}), scalar(1), scalar(2)),
                 "where: the mask has 2 at position 2, expected 0 or 1");
  EXPECT_REFUSED(where(mask({-1}), scalar(1), scalar(2)),
                 "where: the mask has -1 at position 0, expected 0 or 1");
  EXPECT_REFUSED(where(mask({1, 0}), scalar(1), scalar(2, DType::f64)),
                 "where: types f32 and f64 differ; convert one with cast(x, DType::f32)");
  EXPECT_REFUSED(where(mask({1, 0}), zeros({3}), scalar(2)),
                 "where: (2) and (3) don't broadcast: sizes 2 and 3 at axis -1");
}

BOOST_AUTO_TEST_CASE(masked_fill_values) {
  expect("NaN is filled over", masked_fill(f64({NAN, 2}), mask({1, 0}), -infinity),
         f64({-infinity, 2}));
  expect("its gradient", gradient(filled(mask({1, 0})), {f64({NAN, 2})}, f64({NAN, 3})),
         f64({0, 3}));
  expect("f32 stays f32", masked_fill(tensor({1, 2}), mask({1, 0}), 0.1), tensor({0.1, 2}));
}

BOOST_AUTO_TEST_CASE(masked_fill_errors) {
  EXPECT_REFUSED(
      masked_fill(scalar(1), tensor({1}), 0),
      "masked_fill: the mask is f32, expected i32; make one by comparing, as in mask > 0");
  EXPECT_REFUSED(masked_fill(scalar(1), mask({3}), 0),
                 "masked_fill: the mask has 3 at position 0, expected 0 or 1");
  EXPECT_REFUSED(masked_fill(zeros({3}), matrix_mask, 0),
                 "masked_fill: mask (2, 3) doesn't broadcast to (3)");
  EXPECT_REFUSED(masked_fill(zeros({2}), matrix_mask, 0),
                 "masked_fill: (2) and (2, 3) don't broadcast: sizes 2 and 3 at axis -1");
}

BOOST_AUTO_TEST_CASE(cast_values) {
  expect("f64 to f32", cast(f64({0.1, -infinity, NAN, 1e39}), DType::f32),
         tensor({0.10000000149011612, -infinity, NAN, infinity}));
  expect("f32 to f64", cast(tensor({0.1}), DType::f64), f64({0.10000000149011612}));
  expect("to i32", cast(f64({1.9, -1.9, -2147483648.0, 2147483647.0}), DType::i32),
         mask({1, -1, -2147483648.0, 2147483647.0}));
  expect("from i32", cast(mask({3, -4}), DType::f32), tensor({3, -4}));
  expect("the gradient comes back in x's type",
         gradient(cast_to_f32, {f64({1, 2})}, tensor({0.5, 3})), f64({0.5, 3}));
  expect("no elements", cast(zeros({0, 2}), DType::i32), zeros({0, 2}, DType::i32));
}

// 1 + 2^-8 is halfway between two bf16 numbers, 1 and 1 + 2^-7; ties round to even.
BOOST_AUTO_TEST_CASE(cast_to_bf16_rounds) {
  const std::vector<double> x = {0,    -0.0,      1,     1.00390625, 1.01171875, 1.004, -2.5,
                                 3e38, 3.4028e38, 1e-40, infinity,   -infinity,  NAN};
  const std::vector<double> y = {0,         -0.0,      1,        1,        1.015625,
                                 1.0078125, -2.5,      3.004e38, infinity, 9.18355e-41,
                                 infinity,  -infinity, NAN};
  const Tensor narrow = cast(tensor(x), DType::bf16), wide = cast(narrow, DType::f32);
  BOOST_TEST((narrow.dtype() == DType::bf16));
  BOOST_TEST(!narrow.is_float());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double got = wide(static_cast<Index>(i));
    BOOST_TEST(std::signbit(got) == std::signbit(x[i]));
    if (std::isfinite(y[i]))
      BOOST_TEST(got == y[i], boost::test_tools::tolerance(1e-4));
    else
      BOOST_TEST((std::isnan(y[i]) ? std::isnan(got) : got == y[i]));
  }
  expect("what it can hold comes back", cast(cast(f64({0.5, -3, 100}), DType::bf16), DType::f64),
         f64({0.5, -3, 100}));
  // Longer than a cache line.
  const Tensor many = random_normal({1000}, {1});
  const Tensor rounded = cast(cast(many, DType::bf16), DType::f32);
  for (Index i = 0; i < many.size(); ++i)
    BOOST_TEST(std::abs(rounded(i) - many(i)) <= std::abs(many(i)) * 0x1p-8);
  expect("again the same", cast(cast(rounded, DType::bf16), DType::f32), rounded);
}

BOOST_AUTO_TEST_CASE(nothing_computes_with_bf16) {
  const Tensor x = cast(tensor({1, 2}), DType::bf16);
  EXPECT_REFUSED(exp(x), "exp: expected f32 or f64, got bf16; convert with cast(x, DType::f32)");
  EXPECT_REFUSED(x.values(), "ops don't support bf16; convert the tensor with cast(x, DType::f32)");
  EXPECT_REFUSED(x.data<float>(), "a tensor of type bf16 was accessed as f32");
}

BOOST_AUTO_TEST_CASE(cast_errors) {
  EXPECT_REFUSED(cast(f64({0, NAN}), DType::i32),
                 "cast: element 1 is nan, which doesn't fit an i32");
  EXPECT_REFUSED(cast(f64({-infinity}), DType::i32),
                 "cast: element 0 is -inf, which doesn't fit an i32");
  EXPECT_REFUSED(cast(tensor({2147483648.0}), DType::i32),
                 "cast: element 0 is 2147483648, which doesn't fit an i32");
}

BOOST_AUTO_TEST_CASE(equal_values) { expect_comparisons(equal, {0, 1, 0}, {0, 1, 1}); }

BOOST_AUTO_TEST_CASE(less_values) {
  expect_comparisons(less, {1, 0, 0}, {0, 0, 0});
  expect("a > b is b < a", f64({1, 2, 3}) > 2, mask({0, 0, 1}));
}

BOOST_AUTO_TEST_CASE(less_equal_values) {
  expect_comparisons(less_equal, {1, 1, 0}, {0, 1, 1});
  expect("a >= b is b <= a", f64({1, 2, 3}) >= 2, mask({0, 1, 1}));
}

BOOST_AUTO_TEST_CASE(comparisons_that_are_refused) {
  expect_errors("equal", equal);
  expect_errors("less", less);
  expect_errors("less_equal", less_equal);
}

BOOST_AUTO_TEST_SUITE_END()
