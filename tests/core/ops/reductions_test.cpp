#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(reductions)

namespace {

using Reduce = Tensor (*)(const Tensor&, const Axes&, bool);

Tensor one(double value) { return scalar(value, DType::f64); }
const Tensor matrix = f64({1, 2, 3, -1, 0.5, 4}, {2, 3});

Tensor biased(const Tensor& x, const Axes& axes, bool keep = false) { return var(x, axes, keep); }
Tensor unbiased(const Tensor& x, const Axes& axes) { return var(x, axes, false, 1); }
Tensor largest(const Operands& in) { return amax(in[0]); }
Tensor largest_of_rows(const Operands& in) { return amax(in[0], {1}); }

Function summed_along(int axis, bool back = false) {
  return [=](const Operands& in) { return cumsum(in[0], axis, back); };
}
Tensor largest_two(const Operands& in) { return top_k(in[0], 2).values; }

void expect_errors(const std::string& name, Reduce op) {
  EXPECT_REFUSED(op(zeros({2, 3}), {2}, false),
                 name + ": axis 2 is out of range for shape (2, 3), which has 2 axes");
  EXPECT_REFUSED(op(zeros({2, 3}), {1, -1}, false),
                 name + ": axes (1, -1) of (2, 3) contain axis 1 twice");
  EXPECT_REFUSED(op(zeros({2}, DType::i32), {0}, false),
                 name + ": expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

}  // namespace

BOOST_AUTO_TEST_CASE(sum_values) {
  expect("all", sum(matrix), one(9.5));
  expect("rows", sum(matrix, {1}), f64({6, 3.5}));
  expect("columns", sum(matrix, {0}), f64({0, 2.5, 7}));
  expect("kept", sum(matrix, {-1}, true), f64({6, 3.5}, {2, 1}));
  expect("all kept", sum(matrix, {0, 1}, true), f64({9.5}, {1, 1}));
  expect("of nothing is 0", sum(zeros({0, 2}), {0}), zeros({2}));
  expect("infinities, NaN", sum(f64({infinity, 1, infinity, -infinity, NAN, 1}, {3, 2}), {1}),
         f64({infinity, NAN, NAN}));
  expect("2^24 + 4 ones in f32", sum(ones({16777220})), scalar(16777220));
  expect("a million tenths in f32", sum(full({1000000}, 0.1)), scalar(100000.00149011612), 1e-6);
  expect("a million rows in f32", sum(full({1000000, 2}, 0.1), {0}),
         tensor({100000.00149011612, 100000.00149011612}), 1e-6);
}

BOOST_AUTO_TEST_CASE(mean_values) {
  expect("all", mean(matrix), one(1.5833333333333333), 2e-16);
  expect("rows", mean(matrix, {1}), f64({2, 1.1666666666666667}), 2e-16);
  expect("columns", mean(matrix, {0}), f64({0, 1.25, 3.5}));
  expect("kept, in f32", mean(tensor({1, 2}, {1, 2}), {-1}, true), tensor({1.5}, {1, 1}));
  expect("of nothing is NaN", mean(zeros({0})), scalar(NAN));
  expect("of no rows is NaN", mean(zeros({0, 2}), {0}), tensor({NAN, NAN}));
}

BOOST_AUTO_TEST_CASE(amax_values) {
  expect("all", amax(matrix), one(4));
  expect("rows", amax(matrix, {1}), f64({3, 4}));
  expect("columns", amax(matrix, {0}), f64({1, 2, 4}));
  expect("kept, in f32", amax(tensor({1, 2}, {1, 2}), {-1}, true), tensor({2}, {1, 1}));
  expect("infinities", amax(f64({-infinity, -infinity, infinity, 1}, {2, 2}), {1}),
         f64({-infinity, infinity}));
  expect("NaN is passed on along rows", amax(f64({NAN, 1, 1, NAN, 2, 3}, {3, 2}), {1}),
         f64({NAN, NAN, 3}));
  expect("and along columns", amax(f64({NAN, 1, 1, NAN, 2, 3}, {3, 2}), {0}), f64({NAN, NAN}));
  expect("and in a long row", amax(concat({zeros({40}), tensor({NAN}), ones({40})}, 0)),
         scalar(NAN));
  expect("ties share the gradient", gradient(largest, {f64({3, 1, 3, 3})}, one(6)),
         f64({2, 0, 2, 2}));
  expect("in each row", gradient(largest_of_rows, {f64({2, 2, 1, 5}, {2, 2})}, f64({6, 7})),
         f64({3, 3, 0, 7}, {2, 2}));
  expect("a NaN takes it, as NaN",
         gradient(largest_of_rows, {f64({NAN, 2, 1, 5}, {2, 2})}, f64({6, 7})),
         f64({NAN, 0, 0, 7}, {2, 2}));
  expect("minus infinities too", gradient(largest, {f64({-infinity, -infinity})}, one(1)),
         f64({0.5, 0.5}));
}

BOOST_AUTO_TEST_CASE(amax_errors) {
  EXPECT_REFUSED(amax(zeros({0, 3}), {0}),
                 "amax: axes (0) of (0, 3) have no elements, so there is no maximum");
  EXPECT_REFUSED(amax(zeros({0})),
                 "amax: axes (0) of (0) have no elements, so there is no maximum");
}

BOOST_AUTO_TEST_CASE(second_gradients_over_nothing) {
  const auto mean_of = [](const Operands& in) { return mean(in[0], {0}); };
  const auto var_of = [](const Operands& in) { return var(in[0], {0}); };
  const auto mse_of = [](const Operands& in) { return mse(in[0], in[0] * 2.0); };
  const Operands nothing{zeros({0, 2}, DType::f64)};
  expect("mean", cotangent_gradient(mean_of, nothing, ones({2}, DType::f64)),
         zeros({2}, DType::f64));
  expect("var", cotangent_gradient(var_of, nothing, ones({2}, DType::f64)), zeros({2}, DType::f64));
  const auto unbiased_of = [](const Operands& in) { return unbiased(in[0], {0}); };
  expect("var with correction 1", cotangent_gradient(unbiased_of, nothing, ones({2}, DType::f64)),
         zeros({2}, DType::f64));
  expect("mse", cotangent_gradient(mse_of, nothing, one(1)), one(0));
}

BOOST_AUTO_TEST_CASE(var_values) {
  expect("all", var(matrix), one(2.7013888888888888), 2e-16);
  expect("rows", biased(matrix, {1}), f64({0.66666666666666667, 4.3888888888888889}), 4e-16);
  expect("columns, divided by n - 1", unbiased(matrix, {0}), f64({2, 1.125, 0.5}), 2e-16);
  expect("kept, in f32", biased(tensor({1, 2}, {1, 2}), {-1}, true), tensor({0.25}, {1, 1}));
  expect("far from zero", biased(f64({1e9 + 1, 1e9 + 2, 1e9 + 3}), {0}), one(0.66666666666666667),
         2e-16);
  expect("of one element", biased(f64({5}), {0}), one(0));
  expect("of one element, divided by 0", unbiased(f64({5}), {0}), one(NAN));
  expect("the divisor is never negative", var(f64({5}), {0}, false, 2), one(NAN));
  expect("of nothing is NaN", var(zeros({0})), scalar(NAN));
}

BOOST_AUTO_TEST_CASE(sum_to_values) {
  expect("a bias", sum_to(matrix, {3}), f64({0, 2.5, 7}));
  expect("a column", sum_to(matrix, {2, 1}), f64({6, 3.5}, {2, 1}));
  expect("f32 stays f32", sum_to(ones({5, 2}), {2}), tensor({5, 5}));
  expect("of no rows is 0", sum_to(zeros({0, 2}), {2}), zeros({2}));
}

BOOST_AUTO_TEST_CASE(sum_to_errors) {
  EXPECT_REFUSED(sum_to(zeros({2, 3}), {2}),
                 "sum_to: (2, 3) and (2) don't broadcast: sizes 3 and 2 at axis -1");
  EXPECT_REFUSED(sum_to(zeros({3}), {2, 3}), "sum_to: (2, 3) doesn't broadcast to (3)");
  EXPECT_REFUSED(sum_to(zeros({2}, DType::i32), {}),
                 "sum_to: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(cumsum_values) {
  expect("along rows", cumsum(matrix), f64({1, 3, 6, -1, -0.5, 3.5}, {2, 3}));
  expect("along columns", cumsum(matrix, 0), f64({1, 2, 3, 0, 2.5, 7}, {2, 3}));
  expect("from the end", cumsum(matrix, 1, true), f64({6, 5, 3, 3.5, 4.5, 4}, {2, 3}));
  expect("a middle axis", cumsum(reshape(matrix, {1, 3, 2}), 1),
         f64({1, 2, 4, 1, 4.5, 5}, {1, 3, 2}));
  expect("its gradient",
         gradient(summed_along(-1), {matrix}, f64({1, 10, 100, 2, 20, 200}, {2, 3})),
         f64({111, 110, 100, 222, 220, 200}, {2, 3}));
  expect("and from the end",
         gradient(summed_along(0, true), {matrix}, f64({1, 10, 100, 2, 20, 200}, {2, 3})),
         f64({1, 10, 100, 3, 30, 300}, {2, 3}));
  expect("infinity, NaN", cumsum(f64({1, infinity, 2, -infinity, 3})),
         f64({1, infinity, infinity, NAN, NAN}));
  expect("2^24 + 4 ones in f32", slice(cumsum(ones({16777220})), 0, -1, 16777220),
         tensor({16777220}));
  expect("of nothing", cumsum(zeros({2, 0})), zeros({2, 0}));
  expect("of no rows", cumsum(zeros({0, 2}), 0), zeros({0, 2}));
}

BOOST_AUTO_TEST_CASE(cumsum_errors) {
  EXPECT_REFUSED(cumsum(scalar(1)),
                 "cumsum: axis -1 is out of range for shape (), which has 0 axes");
  EXPECT_REFUSED(cumsum(matrix, 2),
                 "cumsum: axis 2 is out of range for shape (2, 3), which has 2 axes");
  EXPECT_REFUSED(cumsum(zeros({2}, DType::i32)),
                 "cumsum: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(argmax_values) {
  expect("along rows", argmax(matrix), i32({2, 2}, {2}));
  expect("along columns", argmax(matrix, 0), i32({0, 0, 1}, {3}));
  expect("kept", argmax(matrix, 1, true), i32({2, 2}, {2, 1}));
  expect("a middle axis", argmax(reshape(matrix, {1, 3, 2}), 1), i32({1, 2}, {1, 2}));
  expect("of one axis", argmax(f64({1, 5, 2})), i32({1}, {}));
  expect("the first of equal ones", argmax(f64({2, 7, 7, 1})), i32({1}, {}));
  expect("0 and -0 are equal", argmax(f64({-0.0, 0})), i32({0}, {}));
  expect("infinities", argmax(f64({-infinity, -infinity, infinity, infinity}, {2, 2})),
         i32({0, 0}, {2}));
  expect("the first NaN", argmax(f64({1, NAN, infinity, NAN})), i32({1}, {}));
  expect("f32 and ids", argmax(tensor({1, 3})) + argmax(i32({4, 3}, {2})), i32({1}, {}));
  expect("of no rows", argmax(zeros({0, 3})), i32({}, {0}));
}

BOOST_AUTO_TEST_CASE(argmax_errors) {
  EXPECT_REFUSED(argmax(zeros({3, 0})),
                 "argmax: axis -1 of (3, 0) has no elements, so there is no maximum");
  EXPECT_REFUSED(argmax(scalar(1)),
                 "argmax: axis -1 is out of range for shape (), which has 0 axes");
}

BOOST_AUTO_TEST_CASE(top_k_values) {
  const Tensor x = f64({3, 9, 1, 7, 2, 2, 8, 2}, {2, 4});
  expect("values", top_k(x, 2).values, f64({9, 7, 8, 2}, {2, 2}));
  expect("ids, the lower of equal ones first", top_k(x, 3).ids, i32({1, 3, 0, 2, 0, 1}, {2, 3}));
  expect("its gradient", gradient(largest_two, {x}, f64({1, 10, 2, 20}, {2, 2})),
         f64({0, 1, 0, 10, 20, 0, 2, 0}, {2, 4}));
  expect("all of them", top_k(f64({2, 3, 1}), 3).values, f64({3, 2, 1}));
  expect("none of them", top_k(x, 0).values, zeros({2, 0}, DType::f64));
  expect("ids of none", top_k(zeros({0, 3}), 2).ids, i32({}, {0, 2}));
  const Tensor special = f64({1, NAN, -infinity, infinity, NAN});
  expect("NaN first", top_k(special, 5).ids, i32({1, 4, 3, 0, 2}, {5}));
  expect("its values", top_k(special, 3).values, f64({NAN, NAN, infinity}));
  expect("f32", top_k(tensor({0.5, 2}), 1).values, tensor({2}));
  expect("of ids", top_k(i32({4, 6, 5}, {3}), 2).values, i32({6, 5}, {2}));
}

BOOST_AUTO_TEST_CASE(top_k_errors) {
  EXPECT_REFUSED(top_k(zeros({2, 3}), 4),
                 "top_k: k is 4, but the last axis of (2, 3) has 3 elements");
  EXPECT_REFUSED(top_k(zeros({2}), -1), "top_k: k is -1, but the last axis of (2) has 2 elements");
  EXPECT_REFUSED(top_k(scalar(1), 1),
                 "top_k: axis -1 is out of range for shape (), which has 0 axes");
}

BOOST_AUTO_TEST_CASE(axes_and_types_that_are_refused) {
  expect_errors("sum", sum);
  expect_errors("mean", mean);
  expect_errors("amax", amax);
  expect_errors("var", biased);
}

BOOST_AUTO_TEST_SUITE_END()
