#include "attention.hpp"

#include <cmath>

namespace tapehead {
namespace {

void check(bool right, const std::string& what) {
  if (!right) throw ValueError("attention: {}", what);
}

/// Fills in what is left open, and refuses what can't be.
AttentionLayerOptions completed(AttentionLayerOptions o) {
  check(o.width >= 1 && o.heads >= 1,
        fmt::format("width {} and {} heads; both must be at least 1", o.width, o.heads));
  if (o.kv_heads == 0) o.kv_heads = o.heads;
  check(o.kv_heads >= 1 && o.heads % o.kv_heads == 0,
        fmt::format("{} heads of keys and values don't divide {} heads", o.kv_heads, o.heads));
  check(o.head_width > 0 || o.width % o.heads == 0,
        fmt::format("{} heads don't divide width {}", o.heads, o.width));
  if (o.head_width == 0) o.head_width = o.width / o.heads;
  if (o.key_input == 0) o.key_input = o.width;
  if (o.value_input == 0) o.value_input = o.width;
  if (o.value_width == 0) o.value_width = o.head_width;
  if (o.out_width == 0) o.out_width = o.width;
  for (Index size : {o.head_width, o.key_input, o.value_input, o.value_width, o.out_width})
    check(size >= 1, fmt::format("a width of {}; all must be at least 1", size));
  check(!o.fused || (o.key_input == o.width && o.value_input == o.width),
        fmt::format("a fused projection needs inputs of one width, not {}, {} and {}", o.width,
                    o.key_input, o.value_input));
  check(o.project_out || o.heads * o.value_width == o.out_width,
        fmt::format("without a projection the output is {} heads of {} wide, not {}", o.heads,
                    o.value_width, o.out_width));
  for (double p : {o.dropout, o.out_dropout})
    check(p >= 0 && p < 1, fmt::format("dropout is {}, and must lie in [0, 1)", p));
  check(o.position != Position::learned && o.position != Position::sinusoidal,
        "learned and sinusoidal positions are added to a model's input, not in its attention");
  check(o.position != Position::rotary || o.head_width % 2 == 0,
        fmt::format("rotary positions turn pairs, and a head's width {} is odd", o.head_width));
  check(o.positions.reach >= 0,
        fmt::format("a reach of {}; it must be at least 0", o.positions.reach));
  check(o.positions.buckets >= 4 && o.positions.buckets % 4 == 0 &&
            o.positions.max_distance > o.positions.buckets,
        fmt::format(
            "{} buckets up to distance {}; needed are a multiple of 4, and a distance beyond it",
            o.positions.buckets, o.positions.max_distance));
  return o;
}

/// Each head of x (batch, time, heads * width) apart: (batch, time, heads, width).
Tensor apart(const Tensor& x, Index heads) {
  return reshape(x, Shape{x.dim(0), x.dim(1), heads, x.dim(2) / heads});
}

/// x (batch, time, ...) behind one row for all, (width).
Tensor after(const Tensor& row, const Tensor& x) {
  return concat({broadcast_to(reshape(row, Shape{1, 1, row.dim(0)}), x.shape().with(1, 1)), x}, 1);
}

bool same(const Tensor& a, const Tensor& b) { return a && b && a.id() == b.id(); }

}  // namespace

MultiHeadAttention::MultiHeadAttention(const AttentionLayerOptions& given)
    : options(completed(given)) {
  const auto& o = options;
  const Index queries = o.heads * o.head_width, keys = o.kv_heads * o.head_width;
  const Index values = o.kv_heads * o.value_width, wide = o.heads * o.value_width;
  const LinearOptions in{o.in_bias, o.in_init};
  if (o.pre_norm) norm.emplace(o.width);
  if (o.fused) {
    qkv.emplace(o.width, queries + keys + values, in);
    qkv->weight.matrices = {queries, keys, values};
  } else {
    query.emplace(o.width, queries, in);
    key.emplace(o.key_input, keys, in);
    value.emplace(o.value_input, values, in);
  }
  if (o.qk_norm) query_norm.emplace(o.head_width), key_norm.emplace(o.head_width);
  if (o.bias_kv) {
    bias_key = Parameter({keys}, o.in_init, false);
    bias_value = Parameter({values}, o.in_init, false);
  }
  const auto start = [](const Shape& shape, double x) {
    return Parameter(shape, Init::constant(x), false);
  };
  switch (o.temperature) {
    case Temperature::none:
      break;
    case Temperature::layer:
      temperature = start({}, 0);
      break;
    case Temperature::head:
      temperature = start({o.heads}, 0);
      break;
    case Temperature::lsa:
      scale = start({o.heads}, 1 / std::sqrt(static_cast<double>(o.head_width)));
      break;
    case Temperature::qkv:
      query_scale = start({o.heads, 1}, 1);
      key_scale = start({o.kv_heads, 1}, 1);
      value_scale = start({o.kv_heads, 1}, 1);
  }
  if (o.position == Position::relative) {
    const Index rows = 2 * o.positions.reach + 1;
    relative_keys = Parameter({rows, o.head_width}, o.in_init, true);
    if (o.positions.relative_values)
      relative_values = Parameter({rows, o.value_width}, o.in_init, true);
  }
  if (o.position == Position::t5)
    buckets = Parameter({o.positions.buckets, o.heads}, o.in_init, true);
  if (o.project_out) out.emplace(wide, o.out_width, LinearOptions{o.out_bias, o.out_init});
}

void MultiHeadAttention::visit(Visitor& v) {
  v("norm", norm), v("qkv", qkv), v("query", query), v("key", key), v("value", value);
  v("query_norm", query_norm), v("key_norm", key_norm);
  v("bias_key", bias_key), v("bias_value", bias_value);
  v("temperature", temperature), v("scale", scale);
  v("query_scale", query_scale), v("key_scale", key_scale), v("value_scale", value_scale);
  v("relative_keys", relative_keys), v("relative_values", relative_values), v("buckets", buckets);
  v("out", out);
}

Tensor MultiHeadAttention::forward(const Tensor& x, Pass& pass) const {
  return attend(x, x, x, pass, {});
}

Tensor MultiHeadAttention::operator()(const Tensor& queries, const Tensor& keys,
                                      const Tensor& values, Pass& pass,
                                      const AttentionMasks& masks) const {
  return within([&] { return attend(queries, keys, values, pass, masks); });
}

Tensor MultiHeadAttention::attend(const Tensor& queries, const Tensor& keys, const Tensor& values,
                                  Pass& pass, const AttentionMasks& masks) const {
  AttentionOptions how;
  how.causal = options.causal;
  how.mask = masks.mask, how.key_mask = masks.key_mask;
  how.mask_before_scale = options.mask_before_scale;
  how.temperature = temperature, how.scale = scale;
  how.hide_self = options.temperature == Temperature::lsa && same(queries, keys);
  how.relative_keys = relative_keys, how.relative_values = relative_values;
  if (pass.train && options.dropout > 0) {
    how.dropout = options.dropout;
    how.key = pass.next_key();
  }
  // y (batch, queries, heads d_v), weights (batch, heads, queries, keys)
  auto [y, weights] = mix(queries, keys, values, pass, how);
  if (pass.capture) pass.captured.push_back({path, weights});
  if (out) y = (*out)(y, pass);  // (batch, queries, d_o)
  return pass.train && options.out_dropout > 0 ? dropout(y, options.out_dropout, pass.next_key())
                                               : y;
}

AttentionResult MultiHeadAttention::mix(const Tensor& queries, const Tensor& keys,
                                        const Tensor& values, Pass& pass,
                                        AttentionOptions& how) const {
  const auto& o = options;
  const bool self = same(queries, keys) && same(keys, values);
  const bool joint = self && qkv && !pass.cache && o.value_width == o.head_width && !o.bias_kv &&
                     !o.zero_kv && o.temperature != Temperature::qkv;
  const double base = o.positions.rotary_base;
  if (joint) {
    const Index time = queries.dim(-2);
    how.bias = bias_by_distance(time, time, queries.dtype());
    Tensor x = (*qkv)(norm ? (*norm)(queries, pass) : queries, pass);  // (batch, time, all heads)
    if (o.qk_norm) x = rms_norm(x, joint_gain(), query_norm->epsilon);
    if (o.position == Position::rotary) x = rotary(x, o.heads + o.kv_heads, o.head_width, 0, base);
    if (pass.capture) return self_attention_with_weights(x, o.heads, o.kv_heads, how);
    return {self_attention(x, o.heads, o.kv_heads, how), {}};
  }
  KeyValueCache::Entry* kept = pass.cache ? &pass.cache->entries[this] : nullptr;
  const bool begun = kept && kept->keys;
  const bool known = begun && !self;  // the keys and values of cross-attention stay
  auto [q, k, v] = project(queries, known ? Tensor() : keys, known ? Tensor() : values, pass);
  const Index before = begun ? kept->keys.dim(1) : 0;
  const Index total = before + (k ? k.dim(1) : 0);
  if (o.position == Position::rotary) {
    q = rotary(q, o.heads, o.head_width, total - q.dim(1), base);
    if (k) k = rotary(k, o.kv_heads, o.head_width, before, base);
  }
  if (begun) k = k ? concat({kept->keys, k}, 1) : kept->keys;
  if (begun) v = v ? concat({kept->values, v}, 1) : kept->values;
  if (kept) *kept = {k, v};
  how.bias = bias_by_distance(q.dim(1), total, q.dtype());
  if (o.bias_kv) k = after(bias_key, k), v = after(bias_value, v), ++how.extra;
  if (o.zero_kv) {
    k = after(zeros({k.dim(2)}, k.dtype()), k), v = after(zeros({v.dim(2)}, v.dtype()), v);
    ++how.extra;
  }
  if (pass.capture) return multi_head_attention_with_weights(q, k, v, o.heads, o.kv_heads, how);
  return {multi_head_attention(q, k, v, o.heads, o.kv_heads, how), {}};
}

Tensor MultiHeadAttention::joint_gain() const {
  const auto of_all = [&](const RMSNorm& norm, Index heads) {
    return broadcast_to(norm.gain, Shape{heads, options.head_width});
  };
  return concat({of_all(*query_norm, options.heads), of_all(*key_norm, options.kv_heads)}, 0);
}

MultiHeadAttention::Projected MultiHeadAttention::project(const Tensor& queries, const Tensor& keys,
                                                          const Tensor& values, Pass& pass) const {
  const auto& o = options;
  const Tensor normed = norm ? (*norm)(queries, pass) : queries;
  const Index n = o.heads * o.head_width, m = n + o.kv_heads * o.head_width;
  const Index all = m + o.kv_heads * o.value_width;
  const auto from = [&](const std::optional<Linear>& own, const Tensor& x, Index begin, Index end) {
    if (!x) return Tensor();
    const Tensor& in = same(x, queries) ? normed : x;
    if (own) return (*own)(in, pass);
    const Tensor &w = qkv->weight, &b = qkv->bias;
    return linear(in, slice(w, 0, begin, end), b ? slice(b, 0, begin, end) : b);
  };
  Projected p;
  if (qkv && same(queries, keys) && same(keys, values)) {
    const Tensor x = (*qkv)(normed, pass);  // (batch, time, all)
    p = {slice(x, 2, 0, n), slice(x, 2, n, m), slice(x, 2, m, all)};
  } else {
    p = {from(query, queries, 0, n), from(key, keys, n, m), from(value, values, m, all)};
  }
  const auto each_head = [](Tensor& x, Index heads, const auto& f) {
    if (x) x = reshape(f(apart(x, heads)), x.shape());
  };
  if (o.qk_norm) {
    each_head(p.q, o.heads, [&](const Tensor& x) { return (*query_norm)(x, pass); });
    each_head(p.k, o.kv_heads, [&](const Tensor& x) { return (*key_norm)(x, pass); });
  }
  if (o.temperature == Temperature::qkv) {
    each_head(p.q, o.heads, [&](const Tensor& x) { return x * query_scale; });
    each_head(p.k, o.kv_heads, [&](const Tensor& x) { return x * key_scale; });
    each_head(p.v, o.kv_heads, [&](const Tensor& x) { return x * value_scale; });
  }
  return p;
}

Tensor MultiHeadAttention::bias_by_distance(Index queries, Index keys, DType dtype) const {
  if (options.position == Position::alibi) return alibi_bias(options.heads, queries, keys, dtype);
  if (options.position != Position::t5) return {};
  const Tensor ids = t5_buckets(queries, keys, !options.causal, options.positions);
  return transpose(gather_rows(buckets, ids));  // (heads, queries + keys - 1)
}

std::vector<std::pair<std::string, std::vector<double>>> MultiHeadAttention::learned_scales()
    const {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  if (temperature.present) {
    all.emplace_back("scores", temperature.value().values());
    for (double& s : all.back().second) s = temperature_multiplier(s);
  }
  if (scale.present) all.emplace_back("scores", scale.value().values());
  if (query_scale.present) {
    all.emplace_back("queries", query_scale.value().values());
    all.emplace_back("keys", key_scale.value().values());
    all.emplace_back("values", value_scale.value().values());
  }
  return all;
}

}  // namespace tapehead
