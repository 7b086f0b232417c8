#include "samples.hpp"

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }

AttentionOptions causal() {
  AttentionOptions options;
  options.causal = true;
  return options;
}
AttentionOptions windowed(Index window, AttentionOptions options = {}) {
  options.window = window;
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
/// Who may attend, drawn at random.
Tensor random_mask(const Shape& shape, std::uint64_t seed) {
  return uniform_sample(shape, 0, 1, seed) < 0.6;
}

// ---- head by head

Function attended(const AttentionOptions& options = {}) {
  return [=](const Inputs& in) { return attention(in[0], in[1], in[2], options); };
}
/// The last input is the temperature.
Function with_temperature(AttentionOptions options = {}) {
  return [=](const Inputs& in) mutable {
    options.temperature = in[3];
    return attention(in[0], in[1], in[2], options);
  };
}
/// The last input is added to the scores.
Function with_added_mask(AttentionOptions options = {}) {
  return [=](const Inputs& in) mutable {
    options.mask = in[3];
    return attention(in[0], in[1], in[2], options);
  };
}
Value attended_by_itself(const Inputs& in) { return attention(in[0], in[0], in[0]); }

/// q, k, v for (batch, heads, queries, keys, d, e).
Inputs qkv(Index batch, Index heads, Index queries, Index keys, Index d, Index e,
           std::uint64_t seed) {
  return {x({batch, heads, queries, d}, seed), x({batch, heads, keys, d}, seed + 1),
          x({batch, heads, keys, e}, seed + 2)};
}
Inputs plus(Inputs inputs, const Tensor& more) {
  inputs.push_back(more);
  return inputs;
}

std::vector<OpSample> samples_of_attention() {
  const Tensor two_axes = tensor({1, 0, 1, 1, 1, 0}, {2, 3}, DType::i32);
  const Tensor dark_row = tensor({1, 1, 0, 0, 0, 0}, {2, 3}, DType::i32);
  const auto temperature = [](Index keys, std::uint64_t seed, const Tensor& s) {
    return plus(qkv(2, 2, keys, 3, 2, 2, seed), s);
  };
  return {
      {"plain", qkv(2, 2, 3, 4, 2, 3, 10), attended()},
      {"one element", qkv(1, 1, 1, 1, 1, 1, 20), attended()},
      {"causal", qkv(1, 2, 4, 4, 3, 3, 30), attended(causal())},
      {"causal, more keys than queries", qkv(1, 2, 2, 4, 3, 2, 40), attended(causal())},
      {"causal, fewer keys than queries", qkv(1, 1, 4, 2, 2, 2, 50), attended(causal())},
      {"more queries than a block", qkv(1, 1, 70, 70, 2, 2, 60), attended(causal())},
      {"a causal window", qkv(1, 2, 5, 5, 2, 2, 210), attended(windowed(2, causal()))},
      {"a window to both sides", qkv(1, 2, 3, 6, 2, 2, 220), attended(windowed(2))},
      {"q = k = v", {x({1, 2, 3, 2}, 70)}, attended_by_itself},
      {"a boolean mask (queries, keys)", qkv(2, 1, 2, 3, 2, 2, 80), attended(masked(two_axes))},
      {"a query that may attend to nothing", qkv(1, 2, 2, 3, 2, 2, 90), attended(masked(dark_row))},
      {"a mask for each example", qkv(2, 2, 2, 3, 2, 2, 100),
       attended(masked(random_mask({2, 2, 3}, 1)))},
      {"a mask for each example and head", qkv(2, 2, 2, 3, 2, 2, 110),
       attended(masked(random_mask({4, 2, 3}, 2), causal()))},
      {"a mask of four axes", qkv(2, 2, 2, 3, 2, 2, 120),
       attended(masked(random_mask({2, 1, 1, 3}, 3)))},
      {"an added mask, itself differentiated", plus(qkv(2, 2, 2, 3, 2, 2, 130), x({2, 1, 3}, 133)),
       with_added_mask(causal())},
      {"one temperature", temperature(2, 140, scalar(0.3, DType::f64)), with_temperature()},
      {"a temperature for each head", temperature(3, 150, f64({0.4, -0.7})),
       with_temperature(with_dropout(0.3, causal()))},
      {"a temperature held by its clamp", plus(qkv(1, 2, 2, 2, 2, 2, 160), f64({5, -0.5})),
       with_temperature()},
      {"dropout", qkv(2, 2, 3, 5, 2, 2, 170), attended(with_dropout(0.4))},
      {"no queries", qkv(1, 2, 0, 3, 2, 2, 180), attended()},
      {"no keys", qkv(1, 2, 3, 0, 2, 2, 190), attended()},
      {"no examples", qkv(0, 2, 3, 3, 2, 2, 200), attended(causal())},
  };
}

// ---- heads side by side

Function side_by_side(Index heads, Index kv_heads, const AttentionOptions& options = {}) {
  return [=](const Inputs& in) {
    return multi_head_attention(in[0], in[1], in[2], heads, kv_heads, options);
  };
}

std::vector<OpSample> multi_head_attention_samples() {
  return {
      {"two heads", {x({2, 3, 4}, 1), x({2, 5, 4}, 2), x({2, 5, 6}, 3)}, side_by_side(2, 2)},
      {"four heads over two, causal",
       {x({1, 4, 8}, 4), x({1, 4, 4}, 5), x({1, 4, 4}, 6)},
       side_by_side(4, 2, causal())},
      {"three heads over one, values narrow",
       {x({2, 2, 6}, 7), x({2, 3, 2}, 8), x({2, 3, 1}, 9)},
       side_by_side(3, 1)},
      {"one element", {x({1, 1, 1}, 10), x({1, 1, 1}, 11), x({1, 1, 1}, 12)}, side_by_side(1, 1)},
      {"no keys", {x({1, 2, 2}, 13), x({1, 0, 2}, 14), x({1, 0, 2}, 15)}, side_by_side(2, 2)},
  };
}

/// As many heads of queries as of keys and values.
Function self_attended(Index heads, const AttentionOptions& options = {}) {
  return [=](const Inputs& in) { return self_attention(in[0], heads, heads, options); };
}
Value self_attended_with_temperature(const Inputs& in) {
  AttentionOptions options = with_dropout(0.2, causal());
  options.temperature = in[1];
  return self_attention(in[0], 2, 2, options);
}

std::vector<OpSample> self_attention_samples() {
  const AttentionOptions drawn = with_dropout(0.5, masked(random_mask({2, 3, 3}, 4)));
  return {
      {"plain", {x({2, 3, 12}, 10)}, self_attended(2)},
      {"causal", {x({2, 4, 6}, 20)}, self_attended(1, causal())},
      {"causal, more than a block", {x({1, 40, 6}, 30)}, self_attended(1, causal())},
      {"masked, with dropout", {x({2, 3, 12}, 40)}, self_attended(2, drawn)},
      {"a temperature for each head",
       {x({2, 3, 12}, 50), f64({0.2, -0.3})},
       self_attended_with_temperature},
      {"one element", {x({1, 1, 3}, 60)}, self_attended(1)},
      {"no time", {x({2, 0, 6}, 70)}, self_attended(1, causal())},
  };
}

Function rotated(Index heads, Index width, Index first = 0, bool back = false) {
  return [=](const Inputs& in) { return rotary(in[0], heads, width, first, 10000, back); };
}

std::vector<OpSample> rotary_samples() {
  return {
      {"two heads of four", {x({2, 3, 8}, 1)}, rotated(2, 4)},
      {"a column beyond the heads, from position 7", {x({1, 3, 5}, 2)}, rotated(2, 2, 7)},
      {"back", {x({1, 2, 2}, 3)}, rotated(1, 2, 1, true)},
      {"wide heads", {x({1, 2, 38}, 4)}, rotated(1, 38)},
      {"no heads", {x({1, 2, 3}, 5)}, rotated(0, 2)},
      {"no time", {x({2, 0, 4}, 6)}, rotated(1, 4)},
  };
}

}  // namespace

std::vector<OpSamples> attention_samples() {
  return {
      {"attention", samples_of_attention()},
      {"multi_head_attention", multi_head_attention_samples()},
      {"self_attention", self_attention_samples()},
      {"rotary", rotary_samples()},
  };
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
