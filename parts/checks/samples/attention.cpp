#include "samples.hpp"

#include "../../../core/ops.hpp"

namespace tapehead::samples {
namespace {

using Options = std::vector<Attribute>;

/// Returns q, k and v for the sizes (batch, heads, queries, keys, d, e), then the mask and the
/// temperature.
std::vector<Tensor> qkv(const std::vector<Index>& sizes, std::uint64_t seed,
                        const Tensor& mask = {}, const Tensor& temperature = {}) {
  const Index batch = sizes[0], heads = sizes[1], queries = sizes[2], keys = sizes[3];
  return {x({batch, heads, queries, sizes[4]}, seed), x({batch, heads, keys, sizes[4]}, seed + 1),
          x({batch, heads, keys, sizes[5]}, seed + 2), mask, temperature};
}
/// Returns a random mask: 1 where a query may attend to a key, else 0.
Tensor random_mask(const Shape& shape, std::uint64_t seed) {
  return uniform_sample(shape, 0, 1, seed) < 0.6;
}

std::vector<OpSample> of_attention() {
  const Options causal = {{"causal", true}};
  const Tensor two_axes = whole({1, 0, 1, 1, 1, 0}, {2, 3});
  const Tensor dark_row = whole({1, 1, 0, 0, 0, 0}, {2, 3});
  const Tensor by_head = tensor({0.4, -0.7}, DType::f64), clamped = tensor({5, -0.5}, DType::f64);
  const Tensor same = x({1, 2, 3, 2}, 70);
  return {{"plain", qkv({2, 2, 3, 4, 2, 3}, 10)},
          {"one element", qkv({1, 1, 1, 1, 1, 1}, 20)},
          {"causal", qkv({1, 2, 4, 4, 3, 3}, 30), causal},
          {"causal, more keys than queries", qkv({1, 2, 2, 4, 3, 2}, 40), causal},
          {"causal, fewer keys than queries", qkv({1, 1, 4, 2, 2, 2}, 50), causal},
          {"more queries than a block", qkv({1, 1, 70, 70, 2, 2}, 60), causal},
          {"a causal window", qkv({1, 2, 5, 5, 2, 2}, 210), {{"causal", true}, {"window", 2}}},
          {"a window to both sides", qkv({1, 2, 3, 6, 2, 2}, 220), {{"window", 2}}},
          {"q = k = v", {same, same, same}},
          {"a boolean mask (queries, keys)", qkv({2, 1, 2, 3, 2, 2}, 80, two_axes)},
          {"a query that may attend to nothing", qkv({1, 2, 2, 3, 2, 2}, 90, dark_row)},
          {"a mask for each example", qkv({2, 2, 2, 3, 2, 2}, 100, random_mask({2, 2, 3}, 1))},
          {"a mask for each example and head",
           qkv({2, 2, 2, 3, 2, 2}, 110, random_mask({4, 2, 3}, 2)), causal},
          {"a mask of four axes", qkv({2, 2, 2, 3, 2, 2}, 120, random_mask({2, 1, 1, 3}, 3))},
          {"an added mask, itself differentiated", qkv({2, 2, 2, 3, 2, 2}, 130, x({2, 1, 3}, 133)),
           causal},
          {"one temperature", qkv({2, 2, 2, 3, 2, 2}, 140, {}, scalar(0.3, DType::f64))},
          {"a temperature for each head", qkv({2, 2, 3, 3, 2, 2}, 150, {}, by_head), causal},
          {"a temperature held by its clamp", qkv({1, 2, 2, 2, 2, 2}, 160, {}, clamped)},
          {"dropout", qkv({2, 2, 3, 3, 2, 2}, 230), {{"causal", true}, {"dropout", 0.4}}},
          {"no queries", qkv({1, 2, 0, 3, 2, 2}, 180)},
          {"no keys", qkv({1, 2, 3, 0, 2, 2}, 190)},
          {"no examples", qkv({0, 2, 3, 3, 2, 2}, 200), causal}};
}

std::vector<OpSample> of_multi_head_attention() {
  const auto heads = [](int heads, int kv_heads, bool causal = false) {
    return Options{{"heads", heads}, {"kv_heads", kv_heads}, {"causal", causal}};
  };
  return {{"two heads", {x({2, 3, 4}, 1), x({2, 5, 4}, 2), x({2, 5, 6}, 3)}, {{"heads", 2}}},
          {"four heads over two, causal",
           {x({1, 4, 8}, 4), x({1, 4, 4}, 5), x({1, 4, 4}, 6)},
           heads(4, 2, true)},
          {"three heads over one, values narrow",
           {x({2, 2, 6}, 7), x({2, 3, 2}, 8), x({2, 3, 1}, 9)},
           heads(3, 1)},
          {"one element", {x({1, 1, 1}, 10), x({1, 1, 1}, 11), x({1, 1, 1}, 12)}},
          {"no keys", {x({1, 2, 2}, 13), x({1, 0, 2}, 14), x({1, 0, 2}, 15)}, heads(2, 2)}};
}

std::vector<OpSample> of_self_attention() {
  const Options causal = {{"causal", true}};
  return {{"plain", {x({2, 3, 12}, 10)}, {{"heads", 2}}},
          {"causal", {x({2, 4, 6}, 20)}, causal},
          {"causal, more than a block", {x({1, 40, 6}, 30)}, causal},
          {"four heads over two", {x({2, 3, 8}, 40)}, {{"heads", 4}, {"kv_heads", 2}}},
          {"one element", {x({1, 1, 3}, 60)}},
          {"no time", {x({2, 0, 6}, 70)}, causal}};
}

std::vector<OpSample> of_rotary() {
  const auto heads = [](int heads, int width, int first = 0, bool back = false) {
    return Options{{"heads", heads}, {"width", width}, {"first", first}, {"back", back}};
  };
  return {{"two heads of four", {x({2, 3, 8}, 1)}, heads(2, 4)},
          {"a column beyond the heads, from position 7", {x({1, 3, 5}, 2)}, heads(2, 2, 7)},
          {"back", {x({1, 2, 2}, 3)}, heads(1, 2, 1, true)},
          {"wide heads", {x({1, 2, 38}, 4)}, heads(1, 38)},
          {"no time", {x({2, 0, 4}, 6)}, heads(1, 4)}};
}

}  // namespace

SampleTable attention_samples() {
  return {{"attention", of_attention()},
          {"multi_head_attention", of_multi_head_attention()},
          {"self_attention", of_self_attention()},
          {"rotary", of_rotary()}};
}

}  // namespace tapehead::samples
