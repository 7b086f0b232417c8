#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention_ops)

namespace {

const double log3 = std::log(3.0);

template <class T, class U>
AttentionOptions with(T AttentionOptions::*field, const U& value) {
  AttentionOptions options;
  options.*field = value;
  return options;
}
AttentionOptions masked(const Tensor& mask) { return with(&AttentionOptions::mask, mask); }
AttentionOptions scaled_by_exp(double s) {
  return with(&AttentionOptions::temperature, scalar(s, DType::f64));
}
const AttentionOptions causal = with(&AttentionOptions::causal, true);

/// Attends with one query (1, 1) to keys (a, b) and values (1, 2). The weights are
/// softmax((a, b) / sqrt(1)).
Tensor two_keys(double a, double b, const AttentionOptions& options, double first = 1,
                double second = 2) {
  return attention(f64({1}, {1, 1, 1, 1}), f64({a, b}, {1, 1, 2, 1}),
                   f64({first, second}, {1, 1, 2, 1}), options);
}
Tensor one(double value) { return f64({value}, {1, 1, 1, 1}); }
Tensor zero(const Shape& shape) { return zeros(shape, DType::f64); }
Tensor row(const std::vector<double>& values) {
  return f64(values, {1, 1, static_cast<Index>(values.size())});
}
/// Attends with two queries to three keys and values, of width 4.
Tensor heads_over_zeros(Index heads, Index kv_heads, const AttentionOptions& options = {}) {
  return multi_head_attention(zeros({1, 2, 4}), zeros({1, 3, 4}), zeros({1, 3, 4}), heads, kv_heads,
                              options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(attention_values) {
  expect("weights 1/4 and 3/4", two_keys(0, log3, {}), one(1.75), 1e-15);
  expect("s = log 2 doubles the scores", two_keys(0, log3 / 2, scaled_by_exp(std::log(2.0))),
         one(1.75), 1e-15);
  expect("exp(s) is at most 100", two_keys(0, log3 / 100, scaled_by_exp(1e6)), one(1.75), 1e-13);
  expect("an added mask adds to the scores", two_keys(0, 0, masked(f64({0, log3}))), one(1.75),
         1e-15);
  expect("minus infinity hides a NaN", two_keys(5, NAN, masked(f64({0, -infinity})), 3, NAN),
         one(3));
  expect("a boolean mask hides a NaN",
         two_keys(5, NAN, masked(tensor({1, 0}, DType::i32)), 3, infinity), one(3));
  expect("all hidden gives zero", two_keys(5, NAN, masked(zeros({2}, DType::i32)), 3, NAN), one(0));
  expect("no key gives zeros",
         attention(zero({1, 1, 2, 3}), zero({1, 1, 0, 3}), zero({1, 1, 0, 1})),
         zeros({1, 1, 2, 1}, DType::f64));
  expect("f32 stays f32", attention(zeros({1, 1, 1, 1}), zeros({1, 1, 1, 1}), ones({1, 1, 1, 1})),
         ones({1, 1, 1, 1}));
  expect("scores of 1e4 don't overflow", two_keys(1e4, -1e4, {}, 3, 4), one(3));
}

BOOST_AUTO_TEST_CASE(attention_errors) {
  EXPECT_REFUSED(attention(zero({2, 3}), zero({2, 3}), zero({2, 3})),
                 "attention: q (2, 3), k (2, 3), v (2, 3); expected (batch, heads, queries, d), "
                 "(batch, kv_heads, keys, d) and (batch, kv_heads, keys, e)");
  EXPECT_REFUSED(
      attention(zero({1, 1, 2, 3}), zero({1, 1, 2, 4}), zero({1, 1, 2, 4})),
      "attention: q (1, 1, 2, 3), k (1, 1, 2, 4), v (1, 1, 2, 4); expected (batch, heads, "
      "queries, d), (batch, kv_heads, keys, d) and (batch, kv_heads, keys, e)");
  EXPECT_REFUSED(attention(one(1), one(1), ones({1, 1, 1, 1})),
                 "attention: types f64 and f32 differ; convert one with cast(x, DType::f64)");
  EXPECT_REFUSED(two_keys(0, 1, masked(f64({1, 0}))),
                 "attention: a f64 mask is added to the scores, and this one has only 0 and 1; "
                 "pass a boolean mask as i32");
  EXPECT_REFUSED(two_keys(0, 1, masked(tensor({-1, 0}))),
                 "attention: the scores are f64 and the mask f32; an added mask must be f64, a "
                 "boolean one i32");
  EXPECT_REFUSED(
      two_keys(0, 1, masked(tensor({1, 0, 1}, DType::i32))),
      "attention: mask (3) doesn't broadcast to (batch, heads, queries, keys) = (1, 1, 1, 2)");
  EXPECT_REFUSED(two_keys(0, 1, masked(tensor({1, 2}, DType::i32))),
                 "attention: the mask has 2 at position 1, expected 0 or 1");
  EXPECT_REFUSED(two_keys(0, 1, with(&AttentionOptions::dropout, 1.5)),
                 "attention: dropout is 1.5, expected a probability in [0, 1]");
  EXPECT_REFUSED(two_keys(0, 1, with(&AttentionOptions::temperature, f64({1, 2}))),
                 "attention: temperature f64 (2), expected f64 of shape () or (1)");
}

BOOST_AUTO_TEST_CASE(multi_head_attention_values) {
  // Both heads use the keys 0 and log 3 with queries 1 and -1: weights 1/4, 3/4 and 3/4, 1/4.
  expect(
      "two heads read one key and value differently",
      multi_head_attention(row({1, -1}), f64({0, log3}, {1, 2, 1}), f64({1, 2}, {1, 2, 1}), 2, 1),
      row({1.75, 1.25}), 1e-15);
}

BOOST_AUTO_TEST_CASE(multi_head_attention_errors) {
  EXPECT_REFUSED(
      heads_over_zeros(3, 3),
      "multi_head_attention: q (1, 2, 4), k (1, 3, 4), v (1, 3, 4) with heads 3 and kv_heads 3; "
      "expected (batch, queries, heads * d), (batch, keys, kv_heads * d) and "
      "(batch, keys, kv_heads * e)");
  EXPECT_REFUSED(
      heads_over_zeros(4, 3),
      "multi_head_attention: heads is 4 and kv_heads is 3, expected kv_heads to divide heads");
  EXPECT_REFUSED(heads_over_zeros(2, 2, with(&AttentionOptions::extra, 4)),
                 "multi_head_attention: extra is 4, expected 0 to 3, the number of keys");
  EXPECT_REFUSED(heads_over_zeros(2, 2, with(&AttentionOptions::bias, zeros({2, 3}))),
                 "multi_head_attention: bias f32 (2, 3), expected f32 of shape (heads, queries + "
                 "keys - 1) = (2, 4)");
  EXPECT_REFUSED(
      heads_over_zeros(2, 2, with(&AttentionOptions::relative_keys, zeros({4, 2}))),
      "multi_head_attention: relative keys f32 (4, 2), expected f32 of shape (2 reach + 1, 2)");
  EXPECT_REFUSED(
      heads_over_zeros(2, 2, with(&AttentionOptions::key_mask, ones({1, 2}, DType::i32))),
      "multi_head_attention: key mask (1, 2), expected (batch, keys) = (1, 3)");
}

BOOST_AUTO_TEST_CASE(self_attention_values) {
  // Two steps of one head: q = 1, k = (0, log 3), v = (1, 2).
  expect("the second step sees both, 1/4 and 3/4",
         self_attention(f64({1, 0, 1, 1, log3, 2}, {1, 2, 3}), 1, 1, causal),
         f64({1, 1.75}, {1, 2, 1}), 1e-15);
  expect("the future may be NaN",
         slice(self_attention(f64({1, 0, 1, 1, NAN, NAN}, {1, 2, 3}), 1, 1, causal), 1, 0, 1),
         f64({1}, {1, 1, 1}));
}

BOOST_AUTO_TEST_CASE(self_attention_errors) {
  EXPECT_REFUSED(
      self_attention(zeros({2, 3, 8}), 2, 2),
      "self_attention: (2, 3, 8) with heads 2 and kv_heads 2; expected (batch, time, 6 * d)");
  EXPECT_REFUSED(self_attention(zeros({2, 3, 6}), 0, 1),
                 "self_attention: heads is 0 and kv_heads is 1, expected kv_heads to divide heads");
}

BOOST_AUTO_TEST_CASE(rotary_values) {
  const double c = std::cos(1.0), s = std::sin(1.0);
  expect("position 0 stays", rotary(row({1, 2}), 1, 2), row({1, 2}));
  expect("position 1 turns the first pair by 1", rotary(row({1, 0, 5}), 1, 2, 1), row({c, s, 5}),
         1e-15);
  expect("the second pair turns by 1 / sqrt(base)", rotary(row({0, 1, 0, 0}), 1, 4, 1, 4),
         row({0, std::cos(0.5), 0, std::sin(0.5)}), 1e-15);
  expect("back undoes it", rotary(rotary(row({1, 2, 3, 4}), 1, 4, 9), 1, 4, 9, 10000, true),
         row({1, 2, 3, 4}), 1e-15);
}

BOOST_AUTO_TEST_CASE(rotary_errors) {
  EXPECT_REFUSED(rotary(zeros({2, 3}), 1, 2),
                 "rotary: x (2, 3) with 1 head of width 2; expected (batch, time, at least 2)");
  EXPECT_REFUSED(rotary(zeros({1, 2, 4}), Index{1} << 40, Index{1} << 40),
                 "rotary: x (1, 2, 4) with 1099511627776 heads of width 1099511627776; expected "
                 "(batch, time, at least 1.2089258196146292e+24)");
  EXPECT_REFUSED(rotary(zeros({1, 2, 3}), 1, 3), "rotary: width is 3, expected an even number");
  EXPECT_REFUSED(rotary(zeros({1, 2, 2}), 1, 2, 0, 0),
                 "rotary: base is 0, expected a finite number above 0");
}

BOOST_AUTO_TEST_SUITE_END()
