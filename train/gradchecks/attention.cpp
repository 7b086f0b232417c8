#include "catalog.hpp"

#include <cmath>
#include <limits>

namespace tapehead {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Inputs = std::vector<Tensor>;

AttentionOptions causal() {
  AttentionOptions options;
  options.causal = true;
  return options;
}
AttentionOptions masked(const Tensor& mask, AttentionOptions options = {}) {
  options.mask = mask;
  return options;
}
AttentionOptions with_dropout(double p, AttentionOptions options = {}) {
  options.dropout = p;
  options.key = {7, Draw::dropout, 3, 1, 5};
  return options;
}
/// Who may attend, drawn by a coin; `none` is a query that may attend to nothing.
Tensor coin_mask(const Shape& shape, std::uint64_t seed) {
  return random_uniform(shape, 0, 1, RandomKey{seed}, DType::f64) < 0.6;
}

Function qkv_function(const AttentionOptions& options = {}) {
  return [=](const Inputs& x) { return attention(x[0], x[1], x[2], options); };
}
Function self_function(Index heads, Index kv_heads, const AttentionOptions& options = {}) {
  return [=](const Inputs& x) { return self_attention(x[0], heads, kv_heads, options); };
}
/// The last input is the temperature.
Function with_temperature(AttentionOptions options = {}) {
  return [=](const Inputs& x) mutable {
    options.temperature = x[3];
    return attention(x[0], x[1], x[2], options);
  };
}
Function with_bias(AttentionOptions options = {}) {
  return [=](const Inputs& x) mutable {
    options.mask = x[3];
    return attention(x[0], x[1], x[2], options);
  };
}

/// q, k, v for (batch, heads, queries, keys, d, e).
Inputs qkv(Index batch, Index heads, Index queries, Index keys, Index d, Index e,
           std::uint64_t seed) {
  return {normal_sample({batch, heads, queries, d}, seed),
          normal_sample({batch, heads, keys, d}, seed + 1),
          normal_sample({batch, heads, keys, e}, seed + 2)};
}
Inputs plus(Inputs inputs, const Tensor& more) {
  inputs.push_back(more);
  return inputs;
}

/// One query of (1, 1), keys (a, b), values (1, 2): the weights are softmax((a, b) / sqrt(1)).
Tensor two_keys(double a, double b, const AttentionOptions& options, double first = 1,
                double second = 2) {
  return attention(tensor({1}, {1, 1, 1, 1}, DType::f64), tensor({a, b}, {1, 1, 2, 1}, DType::f64),
                   tensor({first, second}, {1, 1, 2, 1}, DType::f64), options);
}
Tensor one(double value) { return tensor({value}, {1, 1, 1, 1}, DType::f64); }
const double log3 = std::log(3.0);

OpRow attention_row() {
  const Tensor two_axes = tensor({1, 0, 1, 1, 1, 0}, {2, 3}, DType::i32);
  const Tensor dark_row =
      tensor({1, 1, 0, 0, 0, 0}, {2, 3}, DType::i32);  // the second sees nothing
  AttentionOptions warm;
  warm.temperature = scalar(std::log(2.0), DType::f64);
  AttentionOptions hot;
  hot.temperature = scalar(1e6, DType::f64);
  const auto zero = [](const Shape& shape, DType type = DType::f64) { return zeros(shape, type); };
  return {
      "attention",
      "attention",
      "y = softmax(q k^T exp(s) / sqrt(d) + mask) v",
      "dv = w^T dy, dscore = w (dy v^T - sum(dy y)), dq = dscore k, dk = dscore^T q",
      {
          {"plain", qkv(2, 2, 3, 4, 2, 3, 10), qkv_function()},
          {"one element", qkv(1, 1, 1, 1, 1, 1, 20), qkv_function()},
          {"causal", qkv(1, 2, 4, 4, 3, 3, 30), qkv_function(causal())},
          {"causal, more keys than queries", qkv(1, 2, 2, 4, 3, 2, 40), qkv_function(causal())},
          {"causal, fewer keys than queries", qkv(1, 1, 4, 2, 2, 2, 50), qkv_function(causal())},
          {"more queries than a block",
           qkv(1, 1, 70, 70, 2, 2, 60),
           qkv_function(causal()),
           {},
           false},
          {"q = k = v",
           {normal_sample({1, 2, 3, 2}, 70)},
           [](const Inputs& x) { return attention(x[0], x[0], x[0]); }},
          {"a boolean mask (queries, keys)", qkv(2, 1, 2, 3, 2, 2, 80),
           qkv_function(masked(two_axes))},
          {"a query that may attend to nothing", qkv(1, 2, 2, 3, 2, 2, 90),
           qkv_function(masked(dark_row))},
          {"a mask for each example", qkv(2, 2, 2, 3, 2, 2, 100),
           qkv_function(masked(coin_mask({2, 2, 3}, 1)))},
          {"a mask for each example and head", qkv(2, 2, 2, 3, 2, 2, 110),
           qkv_function(masked(coin_mask({4, 2, 3}, 2), causal()))},
          {"a mask of four axes", qkv(2, 2, 2, 3, 2, 2, 120),
           qkv_function(masked(coin_mask({2, 1, 1, 3}, 3)))},
          {"an added mask, itself differentiated",
           plus(qkv(2, 2, 2, 3, 2, 2, 130), normal_sample({2, 1, 3}, 133)), with_bias(causal())},
          {"one temperature", plus(qkv(2, 2, 2, 3, 2, 2, 140), scalar(0.3, DType::f64)),
           with_temperature()},
          {"a temperature for each head",
           plus(qkv(2, 2, 3, 3, 2, 2, 150), tensor({0.4, -0.7}, DType::f64)),
           with_temperature(with_dropout(0.3, causal()))},
          {"a temperature held by its clamp",
           plus(qkv(1, 2, 2, 2, 2, 2, 160), tensor({5, -0.5}, DType::f64)), with_temperature()},
          {"dropout", qkv(2, 2, 3, 5, 2, 2, 170), qkv_function(with_dropout(0.4))},
          {"no queries", qkv(1, 2, 0, 3, 2, 2, 180), qkv_function()},
          {"no keys", qkv(1, 2, 3, 0, 2, 2, 190), qkv_function()},
          {"no examples", qkv(0, 2, 3, 3, 2, 2, 200), qkv_function(causal())},
      },
      {
          {"weights 1/4 and 3/4", [] { return two_keys(0, log3, {}); }, one(1.75), 1e-15},
          {"s = log 2 doubles the scores", [=] { return two_keys(0, log3 / 2, warm); }, one(1.75),
           1e-15},
          {"exp(s) is at most 100", [=] { return two_keys(0, log3 / 100, hot); }, one(1.75), 1e-13},
          {"an added mask adds to the scores",
           [] {
             return two_keys(0, 0, masked(tensor({0, log3}, DType::f64)));
           },
           one(1.75), 1e-15},
          {"minus infinity hides a NaN",
           [] {
             return two_keys(5, nan, masked(tensor({0, -infinity}, DType::f64)), 3, nan);
           },
           one(3)},
          {"a boolean mask hides a NaN",
           [] {
             return two_keys(5, nan, masked(tensor({1, 0}, DType::i32)), 3, infinity);
           },
           one(3)},
          {"all hidden gives zero",
           [] { return two_keys(5, nan, masked(zeros({2}, DType::i32)), 3, nan); }, one(0)},
          {"no key gives zeros",
           [=] {
             return attention(zero({1, 1, 2, 3}), zero({1, 1, 0, 3}), zero({1, 1, 0, 1}));
           },
           zeros({1, 1, 2, 1}, DType::f64)},
          {"f32 stays f32",
           [=] {
             return attention(zero({1, 1, 1, 1}, DType::f32), zero({1, 1, 1, 1}, DType::f32),
                              ones({1, 1, 1, 1}));
           },
           ones({1, 1, 1, 1})},
          {"scores of 1e4 don't overflow", [] { return two_keys(1e4, -1e4, {}, 3, 4); }, one(3)},
      },
      {
          {[=] {
             attention(zero({2, 3}), zero({2, 3}), zero({2, 3}));
           },
           "attention: q (2, 3), k (2, 3), v (2, 3); expected (batch, heads, queries, d), (batch, "
           "kv_heads, keys, d) "
           "and (batch, kv_heads, keys, e)"},
          {[=] {
             attention(zero({1, 1, 2, 3}), zero({1, 1, 2, 4}), zero({1, 1, 2, 4}));
           },
           "attention: q (1, 1, 2, 3), k (1, 1, 2, 4), v (1, 1, 2, 4); expected (batch, heads, "
           "queries, d), "
           "(batch, kv_heads, keys, d) and (batch, kv_heads, keys, e)"},
          {[=] {
             attention(one(1), one(1), ones({1, 1, 1, 1}));
           },
           "attention: f64 and f32 differ; convert one with cast(x, DType::f64)"},
          {[] {
             two_keys(0, 1, masked(tensor({1, 0}, DType::f64)));
           },
           "attention: a f64 mask is added to the scores, and this one holds only 0 and 1; for a "
           "mask of who may "
           "attend, pass it as i32"},
          {[] {
             two_keys(0, 1, masked(tensor({-1, 0})));
           },
           "attention: the scores are f64 and the mask f32; an added mask must be f64, a boolean "
           "one i32"},
          {[] {
             two_keys(0, 1, masked(tensor({1, 0, 1}, DType::i32)));
           },
           "attention: a mask (3) doesn't broadcast to (batch, heads, queries, keys) = (1, 1, 1, "
           "2)"},
          {[] { two_keys(0, 1, with_dropout(1.5)); },
           "attention: dropout is 1.5, and a probability lies in [0, 1]"},
          {[] {
             AttentionOptions options;
             options.temperature = tensor({1, 2}, DType::f64);
             two_keys(0, 1, options);
           },
           "attention: a temperature f64 (2); expected f64 of shape () or (1)"},
      }};
}

OpRow self_attention_row() {
  return {"self_attention",
          "attention",
          "y = attention(q, k, v), q, k and v side by side in one tensor",
          "as attention's, into the three parts",
          {
              {"plain", {normal_sample({2, 3, 12}, 10)}, self_function(2, 2)},
              {"causal", {normal_sample({2, 4, 6}, 20)}, self_function(1, 1, causal())},
              {"causal, more than a block",
               {normal_sample({1, 40, 6}, 30)},
               self_function(1, 1, causal()),
               {},
               false},
              {"masked, with dropout",
               {normal_sample({2, 3, 12}, 40)},
               self_function(2, 2, with_dropout(0.5, masked(coin_mask({2, 3, 3}, 4))))},
              {"a temperature for each head",
               {normal_sample({2, 3, 12}, 50), tensor({0.2, -0.3}, DType::f64)},
               [](const Inputs& x) {
                 AttentionOptions options = with_dropout(0.2, causal());
                 options.temperature = x[1];
                 return self_attention(x[0], 2, 2, options);
               }},
              {"one element", {normal_sample({1, 1, 3}, 60)}, self_function(1, 1)},
              {"no time", {normal_sample({2, 0, 6}, 70)}, self_function(1, 1, causal())},
          },
          {
              // Two steps of one head: q = 1, k = (0, log 3), v = (1, 2).
              {"the second step sees both, 1/4 and 3/4",
               [] {
                 return self_attention(tensor({1, 0, 1, 1, log3, 2}, {1, 2, 3}, DType::f64), 1, 1,
                                       causal());
               },
               tensor({1, 1.75}, {1, 2, 1}, DType::f64), 1e-15},
              {"the future may be NaN",
               [] {
                 return slice(self_attention(tensor({1, 0, 1, 1, nan, nan}, {1, 2, 3}, DType::f64),
                                             1, 1, causal()),
                              1, 0, 1);
               },
               one(1).viewed_as({1, 1, 1})},
          },
          {
              {[] {
                 self_attention(zeros({2, 3, 8}), 2, 2);
               },
               "self_attention: (2, 3, 8) with 2 heads, 2 of keys; expected (batch, time, 6 * d)"},
              {[] {
                 self_attention(zeros({2, 3, 6}), 0, 1);
               },
               "self_attention: 0 heads over 1 of keys and values, which must divide them"},
          }};
}

}  // namespace

std::vector<OpRow> attention_rows() {
  std::vector<OpRow> rows = {attention_row()};
  for (OpRow& row : head_rows()) rows.push_back(std::move(row));
  rows.insert(rows.begin() + 2, self_attention_row());  // in the order of core/ops.hpp
  return rows;
}

}  // namespace tapehead
