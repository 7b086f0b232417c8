// Attention, and rotary positions.
#include "array.hpp"

namespace tapehead::reference {
namespace {

/// Reshapes a mask to broadcast over (batch, heads, queries, keys) = full. Rank 3 is (batch,
/// queries, keys) or (batch * heads, queries, keys), depending on its size.
Array over_heads(const Tensor& mask, const Shape& full) {
  Sizes shape = sizes(mask.shape());
  if (mask.rank() == 3 && mask.dim(0) == full[0] * full[1] && mask.dim(0) != full[0])
    shape = sizes({full[0], full[1], mask.dim(1), mask.dim(2)});
  else if (mask.rank() == 3)
    shape.insert(shape.begin() + 1, 1);
  return xt::reshape_view(array(mask), shape);
}

/// Reshapes () or (heads) to broadcast over (batch, heads, queries, keys).
Array by_head(const Tensor& x) { return xt::reshape_view(array(x), sizes({x.size(), 1, 1})); }

/// Returns the row of a table (2 reach + 1, width) for each distance: (queries, keys, width).
Array rows_near(const Tensor& table, const Array& distance) {
  const Index reach = table.dim(0) / 2;
  const Array rows = xt::clip(distance, -reach, reach) + reach;
  return rows_by_id(array(table), rows);
}

/// Applies dropout to weights (batch, heads, queries, keys). The weight of query i, head h and key
/// j uses the 16-bit number (i * heads + h) * 65536 + j; a word has two numbers, the lower half
/// first.
Array dropped(const Array& weights, double p, const RandomKey& key) {
  constexpr double numbers = 1 << 16;
  const double least = std::round(p * numbers),
               scale = least < numbers ? 1 / (1 - least / numbers) : 0;
  const auto heads = static_cast<Index>(weights.shape(1));
  const auto keys = static_cast<Index>(weights.shape(3));
  Array result = weights;
  for (std::size_t b = 0; b < weights.shape(0); ++b)
    for (std::size_t h = 0; h < weights.shape(1); ++h)
      for (std::size_t i = 0; i < weights.shape(2); ++i) {
        RandomKey own = key;
        own.example += static_cast<std::uint32_t>(b);
        std::vector<std::uint32_t> words((keys + 1) / 2);
        const Index row = static_cast<Index>(i) * heads + static_cast<Index>(h);
        random_bits(own, row << 15, static_cast<Index>(words.size()), words.data());
        for (Index j = 0; j < keys; ++j) {
          const bool stays = (words[j / 2] >> 16 * (j % 2) & 0xFFFF) >= least;
          result(b, h, i, j) *= stays ? scale : 0;
        }
      }
  return result;
}

}  // namespace

// Computes y = softmax(q k^T / sqrt(width)) v for each head, with all options.
AttentionValues attention_with_weights(const Tensor& q, const Tensor& k, const Tensor& v,
                                       const AttentionOptions& o) {
  const Index heads = q.dim(1), queries = q.dim(2), width = q.dim(3);
  const Index group = heads / k.dim(1);  // number of heads that share keys and values
  std::vector<Index> owner;              // the key-value head of each head
  for (Index head = 0; head < heads; ++head) owner.push_back(head / group);
  const Array own_k = xt::view(array(k), xt::all(), xt::keep(owner));
  const Array own_v = xt::view(array(v), xt::all(), xt::keep(owner));
  Array scores = product(
      array(q), xt::transpose(own_k, {0u, 1u, 3u, 2u}));  // (batch, heads, queries, all keys)

  // Positions, masks and distances exclude the extra keys.
  const Index keys = k.dim(2) - o.extra;
  auto near = xt::view(scores, xt::all(), xt::all(), xt::all(), xt::range(o.extra, o.extra + keys));
  const Array distance = range(keys) - (column(queries) + (keys - queries));  // (queries, keys)
  const Shape full{q.dim(0), heads, queries, keys};
  Array added = xt::zeros<double>(sizes(full)), hidden = added;
  const auto apply = [&](const Tensor& given, const Array& mask) {
    if (given.is_float()) added += mask;
    hidden += xt::equal(mask, given.is_float() ? -infinity : 0);
  };
  if (o.mask) apply(o.mask, over_heads(o.mask, full));
  if (o.key_mask) apply(o.key_mask, reshaped(array(o.key_mask), {full[0], 1, 1, keys}));
  if (o.causal) hidden += distance > 0;
  if (o.hide_self) hidden += xt::equal(distance, 0);
  if (o.window > 0) hidden += xt::abs(distance) >= static_cast<double>(o.window);

  const Array factor = o.scale ? by_head(o.scale) : 1 / std::sqrt(static_cast<double>(width));
  const Array warmth = o.temperature ? by_head(o.temperature) : Array(0.0);
  const double most = max_temperature_exponent;
  if (o.relative_keys)
    near += xt::sum(xt::expand_dims(array(q), 3) * rows_near(o.relative_keys, distance), {4});
  if (o.mask_before_scale) near += added;
  scores *= factor * xt::exp(xt::clip(warmth, -most, most));
  if (!o.mask_before_scale) near += added;
  if (o.bias) {  // (heads or 1, distances) -> (heads or 1, queries, keys)
    const Array by_distance = rows_by_id(xt::transpose(array(o.bias)), distance + (keys - 1));
    near += xt::transpose(by_distance, {2, 0, 1});
  }
  near = xt::where(hidden > 0, -infinity, near);

  const Array weights = dropped(softmax_along(scores, 3), o.dropout, o.key);
  const Array w = xt::expand_dims(weights, 4);  // a weight of 0 ignores its value, even NaN
  Array y = xt::sum(xt::where(w > 0, w * xt::expand_dims(own_v, 2), 0), {3});
  if (o.relative_values) {
    const Array near_w =
        xt::view(weights, xt::all(), xt::all(), xt::all(), xt::range(o.extra, o.extra + keys));
    y += xt::sum(xt::expand_dims(near_w, 4) * rows_near(o.relative_values, distance), {3});
  }
  return {like(q, y), like(q, weights)};
}

namespace {

/// (batch, time, heads * width) -> (batch, heads, time, width), and back.
Array apart(const Array& x, Index heads) {
  const Sizes n(x.shape().begin(), x.shape().end());
  const auto count = static_cast<std::size_t>(heads);
  return swapped(xt::reshape_view(x, Sizes{n[0], n[1], count, n[2] / count}), 1, 2);
}
Array together(const Array& x) {
  const Sizes n(x.shape().begin(), x.shape().end());
  return xt::reshape_view(swapped(x, 1, 2), Sizes{n[0], n[2], n[1] * n[3]});
}

AttentionOptions options_of(bool causal, bool hide_self, Index window, double dropout, Index seed) {
  AttentionOptions options;
  options.causal = causal;
  options.hide_self = hide_self;
  options.window = window;
  options.dropout = dropout;
  options.key = {static_cast<std::uint64_t>(seed), Draw::test, 1, 1};
  return options;
}

Tensor head_by_head(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                    const Tensor& temperature, const Tensor& key_mask, const Tensor& bias,
                    const Tensor& relative_keys, const Tensor& relative_values, const Tensor& scale,
                    bool causal, bool hide_self, Index window, Index extra, bool mask_before_scale,
                    double dropout, Index seed) {
  AttentionOptions options = options_of(causal, hide_self, window, dropout, seed);
  options.mask = mask;
  options.temperature = temperature;
  options.key_mask = key_mask;
  options.bias = bias;
  options.relative_keys = relative_keys;
  options.relative_values = relative_values;
  options.scale = scale;
  options.extra = extra;
  options.mask_before_scale = mask_before_scale;
  return attention_with_weights(q, k, v, options).y;
}

Tensor side_by_side(const Tensor& q, const Tensor& k, const Tensor& v, Index heads,
                    std::optional<Index> kv_heads, bool causal, bool hide_self, Index window,
                    double dropout, Index seed) {
  const auto heads_of = [](const Tensor& x, Index count) {
    return like(x, apart(array(x), count));
  };
  const Index shared = kv_heads.value_or(heads);
  const Tensor y =
      attention_with_weights(heads_of(q, heads), heads_of(k, shared), heads_of(v, shared),
                             options_of(causal, hide_self, window, dropout, seed))
          .y;
  return like(q, together(array(y)));
}

// Rotates each pair (a, b) by an angle: (a cos - b sin, b cos + a sin).
Tensor turned(const Tensor& x, Index heads, std::optional<Index> of_head, Index first, double base,
              bool back) {
  const Index batch = x.dim(0), time = x.dim(1), width = of_head.value_or(x.dim(2) / heads);
  const Index half = width / 2, done = heads * width;
  const Array exponents = -range(half) / static_cast<double>(half);
  const Array angles = (column(time) + first) * xt::pow(base, exponents);  // (time, half)
  const Array cosine = xt::expand_dims(xt::cos(angles), 1);                // (time, 1, half)
  const Array sine = xt::expand_dims(xt::sin(angles) * (back ? -1 : 1), 1);
  const Array pairs = reshaped(part(array(x), 2, 0, done), {batch, time, heads, 2, half});
  const Array a =
      xt::view(pairs, xt::all(), xt::all(), xt::all(), 0);  // (batch, time, heads, half)
  const Array b = xt::view(pairs, xt::all(), xt::all(), xt::all(), 1);
  const Array both = xt::stack(xt::xtuple(a * cosine - b * sine, b * cosine + a * sine), 3);
  return like(x,
              joined({reshaped(both, {batch, time, done}), part(array(x), 2, done, x.dim(2))}, 2));
}

}  // namespace

Tensor self_attention_with(const Tensor& qkv, Index heads, Index kv_heads,
                           const AttentionOptions& options) {
  const Array all = apart(array(qkv), heads + 2 * kv_heads);
  const auto some = [&](Index begin, Index count) {
    return like(qkv, part(all, 1, begin, begin + count));
  };
  const Tensor y = attention_with_weights(some(0, heads), some(heads, kv_heads),
                                          some(heads + kv_heads, kv_heads), options)
                       .y;
  return like(qkv, together(array(y)));
}

std::vector<Op> attention_definitions() {
  return {
      define("attention", head_by_head),
      define("multi_head_attention", side_by_side),
      define("self_attention",
             [](const Tensor& qkv, Index heads, std::optional<Index> kv_heads, bool causal,
                bool hide_self, Index window, double dropout, Index seed) {
               return self_attention_with(qkv, heads, kv_heads.value_or(heads),
                                          options_of(causal, hide_self, window, dropout, seed));
             }),
      define("rotary", turned),
  };
}

}  // namespace tapehead::reference
