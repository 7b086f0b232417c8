#include "catalog.hpp"

#include <cmath>

namespace tapehead {
namespace {

using Inputs = std::vector<Tensor>;

Function joined(Index heads, Index kv_heads, const AttentionOptions& options = {}) {
  return [=](const Inputs& x) {
    return multi_head_attention(x[0], x[1], x[2], heads, kv_heads, options);
  };
}
Function turned(Index heads, Index width, Index first = 0, bool back = false) {
  return [=](const Inputs& x) { return rotary(x[0], heads, width, first, 10000, back); };
}
Tensor row(const std::vector<double>& values) {
  return tensor(values, {1, 1, static_cast<Index>(values.size())}, DType::f64);
}

OpRow multi_head_attention_row() {
  AttentionOptions causal;
  causal.causal = true;
  const double log3 = std::log(3.0);
  return {
      "multi_head_attention",
      "attention",
      "y = attention(q, k, v), the heads side by side",
      "as attention's, side by side",
      {
          {"two heads",
           {normal_sample({2, 3, 4}, 1), normal_sample({2, 5, 4}, 2), normal_sample({2, 5, 6}, 3)},
           joined(2, 2)},
          {"four heads over two, causal",
           {normal_sample({1, 4, 8}, 4), normal_sample({1, 4, 4}, 5), normal_sample({1, 4, 4}, 6)},
           joined(4, 2, causal)},
          {"three heads over one, values narrow",
           {normal_sample({2, 2, 6}, 7), normal_sample({2, 3, 2}, 8), normal_sample({2, 3, 1}, 9)},
           joined(3, 1)},
          {"one element",
           {normal_sample({1, 1, 1}, 10), normal_sample({1, 1, 1}, 11),
            normal_sample({1, 1, 1}, 12)},
           joined(1, 1)},
          {"no keys",
           {normal_sample({1, 2, 2}, 13), normal_sample({1, 0, 2}, 14),
            normal_sample({1, 0, 2}, 15)},
           joined(2, 2)},
      },
      {
          // Both heads read the keys 0 and log 3 with queries 1 and -1: 3/4, and 3/4 of the other.
          {"two heads read one key and value differently",
           [=] {
             return multi_head_attention(row({1, -1}), tensor({0, log3}, {1, 2, 1}, DType::f64),
                                         tensor({1, 2}, {1, 2, 1}, DType::f64), 2, 1);
           },
           row({1.75, 1.25}), 1e-15},
      },
      {
          {[] {
             multi_head_attention(zeros({1, 2, 4}), zeros({1, 3, 4}), zeros({1, 3, 4}), 3, 3);
           },
           "multi_head_attention: q (1, 2, 4), k (1, 3, 4), v (1, 3, 4) with 3 heads, 3 of keys; "
           "expected (batch, queries, heads * d), (batch, keys, kv_heads * d) and (batch, keys, "
           "kv_heads * e)"},
          {[] {
             multi_head_attention(zeros({1, 2, 4}), zeros({1, 3, 4}), zeros({1, 3, 4}), 4, 3);
           },
           "multi_head_attention: 4 heads over 3 of keys and values, which must divide them"},
          {[] {
             AttentionOptions options;
             options.extra = 4;
             multi_head_attention(zeros({1, 2, 4}), zeros({1, 3, 4}), zeros({1, 3, 4}), 2, 2,
                                  options);
           },
           "multi_head_attention: 4 extra keys of 3"},
          {[] {
             AttentionOptions options;
             options.bias = zeros({2, 3});
             multi_head_attention(zeros({1, 2, 4}), zeros({1, 3, 4}), zeros({1, 3, 4}), 2, 2,
                                  options);
           },
           "multi_head_attention: a bias f32 (2, 3); expected f32 of shape (heads, queries + keys "
           "- "
           "1) = (2, 4)"},
          {[] {
             AttentionOptions options;
             options.relative_keys = zeros({4, 2});
             multi_head_attention(zeros({1, 2, 4}), zeros({1, 3, 4}), zeros({1, 3, 4}), 2, 2,
                                  options);
           },
           "multi_head_attention: relative keys f32 (4, 2); expected f32 of shape (2 reach + 1, "
           "2)"},
          {[] {
             AttentionOptions options;
             options.key_mask = ones({1, 2}, DType::i32);
             multi_head_attention(zeros({1, 2, 4}), zeros({1, 3, 4}), zeros({1, 3, 4}), 2, 2,
                                  options);
           },
           "multi_head_attention: a key mask (1, 2); expected (batch, keys) = (1, 3)"},
      }};
}

OpRow rotary_row() {
  const double c = std::cos(1.0), s = std::sin(1.0);
  return {"rotary",
          "attention",
          "(a, b) -> (a cos - b sin, b cos + a sin), by place and pair",
          "the opposite turn",
          {
              {"two heads of four", {normal_sample({2, 3, 8}, 1)}, turned(2, 4)},
              {"a column beyond the heads, from place 7",
               {normal_sample({1, 3, 5}, 2)},
               turned(2, 2, 7)},
              {"back", {normal_sample({1, 2, 2}, 3)}, turned(1, 2, 1, true)},
              {"wide heads", {normal_sample({1, 2, 38}, 4)}, turned(1, 38)},
              {"no heads", {normal_sample({1, 2, 3}, 5)}, turned(0, 2)},
              {"no time", {normal_sample({2, 0, 4}, 6)}, turned(1, 4)},
          },
          {
              {"place 0 stays",
               [] {
                 return rotary(row({1, 2}), 1, 2);
               },
               row({1, 2})},
              {"place 1 turns the first pair by 1",
               [] {
                 return rotary(row({1, 0, 5}), 1, 2, 1);
               },
               row({c, s, 5}), 1e-15},
              {"the second pair turns by 1 / sqrt(base)",
               [] {
                 return rotary(row({0, 1, 0, 0}), 1, 4, 1, 4);
               },
               row({0, std::cos(0.5), 0, std::sin(0.5)}), 1e-15},
              {"back undoes it",
               [] {
                 return rotary(rotary(row({1, 2, 3, 4}), 1, 4, 9), 1, 4, 9, 10000, true);
               },
               row({1, 2, 3, 4}), 1e-15},
          },
          {
              {[] {
                 rotary(zeros({2, 3}), 1, 2);
               },
               "rotary: (2, 3) with 1 heads of width 2; expected (batch, time, at least 2)"},
              {[] {
                 rotary(zeros({1, 2, 3}), 1, 3);
               },
               "rotary: a head's width 3 must be even"},
              {[] {
                 rotary(zeros({1, 2, 2}), 1, 2, 0, 0);
               },
               "rotary: base 0 must be above 0"},
          }};
}

}  // namespace

std::vector<OpRow> head_rows() { return {multi_head_attention_row(), rotary_row()}; }

}  // namespace tapehead
