#include "attention.hpp"

namespace tapehead {
namespace {

/// Reshapes x (batch, time, heads * width) to (batch, time, heads, width), applies f, and reshapes
/// the result back. A null x stays null.
template <class F>
void each_head(Tensor& x, Index heads, const F& f) {
  if (!x) return;
  const Shape apart{x.dim(0), x.dim(1), heads, x.dim(2) / heads};
  x = reshape(f(reshape(x, apart)), x.shape());
}

/// Puts `row`, (width), before each sequence of x (batch, time, width).
Tensor after(const Tensor& row, const Tensor& x) {
  return concat({broadcast_to(reshape(row, Shape{1, 1, row.dim(0)}), x.shape().with(1, 1)), x}, 1);
}

}  // namespace

bool is_same_tensor(const Tensor& a, const Tensor& b) { return a && b && a.id() == b.id(); }

AttentionProjection::AttentionProjection(const AttentionLayerOptions& o)
    : heads(o.heads),
      kv_heads(o.kv_heads),
      width(o.head_width),
      value_width(o.value_width),
      tied_kv(o.tied_kv),
      zero_key(o.zero_kv) {
  const Index queries = o.heads * o.head_width;
  const Index keys = o.kv_heads * o.head_width;
  const Index values = o.kv_heads * o.value_width;
  const LinearOptions in{o.in_bias, o.in_init};
  if (o.pre_norm) norm.emplace(o.width, o.epsilon);
  if (o.fused) {
    qkv.emplace(o.width, queries + keys + (tied_kv ? 0 : values), in);
    qkv->weight.matrices = {queries, keys};
    if (!tied_kv) qkv->weight.matrices.push_back(values);
  } else {
    query.emplace(o.width, queries, in);
    key.emplace(o.key_input, keys, in);
    if (!tied_kv) value.emplace(o.value_input, values, in);
  }
  if (o.qk_norm) {
    query_norm.emplace(o.head_width, o.epsilon);
    key_norm.emplace(o.head_width, o.epsilon);
  }
  if (o.bias_kv) {
    bias_key = Parameter({keys}, o.in_init, false);
    bias_value = Parameter({values}, o.in_init, false);
  }
  if (o.temperature == Temperature::qkv) {
    query_scale = Parameter({o.heads, 1}, Init::constant(1), false);
    key_scale = Parameter({o.kv_heads, 1}, Init::constant(1), false);
    value_scale = Parameter({o.kv_heads, 1}, Init::constant(1), false);
  }
}

void AttentionProjection::visit(Visitor& v) {
  v("norm", norm);
  v("qkv", qkv);
  v("query", query);
  v("key", key);
  v("value", value);
  v("query_norm", query_norm);
  v("key_norm", key_norm);
  v("bias_key", bias_key);
  v("bias_value", bias_value);
  v("query_scale", query_scale);
  v("key_scale", key_scale);
  v("value_scale", value_scale);
}

bool AttentionProjection::is_joint() const {
  return qkv && !tied_kv && value_width == width && !bias_key.present && !zero_key &&
         !query_scale.present;
}

Tensor AttentionProjection::joint(const Tensor& x, Pass& pass,
                                  const PositionScheme* positions) const {
  Tensor y = (*qkv)(norm ? (*norm)(x, pass) : x, pass);  // (batch, time, (heads + 2 kv_heads) d_k)
  if (query_norm) y = rms_norm(y, joint_gain(), query_norm->epsilon);
  return positions ? positions->rotate(y, heads + kv_heads, width, 0, pass) : y;
}

Tensor AttentionProjection::joint_gain() const {
  const auto of_all = [&](const RMSNorm& one, Index count) {
    return broadcast_to(one.gain, Shape{count, width});
  };
  return concat({of_all(*query_norm, heads), of_all(*key_norm, kv_heads)}, 0);
}

AttentionProjection::Projected AttentionProjection::operator()(
    const Tensor& queries, const Tensor& keys, const Tensor& values, Pass& pass,
    const PositionScheme* positions) const {
  const bool self = is_same_tensor(queries, keys) && is_same_tensor(keys, values);
  KeyValueCache* past = pass.cache ? &pass.cache->state<KeyValueCache>(this) : nullptr;
  const bool tied = tied_kv && is_same_tensor(keys, values);  // the cache has only `keys`
  const Index before = past ? past->keys.time() : 0;
  const bool kept = before > 0 && !self;  // cross-attention reuses its cached keys and values
  Projected p = project(queries, kept ? Tensor() : keys, kept ? Tensor() : values, pass);
  if (tied && past) p.k = p.v = p.k ? past->keys.add(p.k) : past->keys.all();
  if (query_norm) normalise(p, pass);
  if (query_scale.present) scale(p);
  if (positions) {
    const Index first = tied ? 0 : before;  // the position of the first key in p.k
    const Index total = first + (p.k ? p.k.dim(1) : 0);
    p.q = positions->rotate(p.q, heads, width, total - p.q.dim(1), pass);  // the last positions
    if (p.k) p.k = positions->rotate(p.k, kv_heads, width, first, pass);
  }
  if (past && !tied) {
    p.k = p.k ? past->keys.add(p.k) : past->keys.all();
    p.v = p.v ? past->values.add(p.v) : past->values.all();
  }
  if (bias_key.present) {
    p.k = after(bias_key, p.k);
    p.v = after(bias_value, p.v);
    ++p.extra;
  }
  if (zero_key) {
    p.k = after(zeros({p.k.dim(2)}, p.k.dtype()), p.k);
    p.v = after(zeros({p.v.dim(2)}, p.v.dtype()), p.v);
    ++p.extra;
  }
  return p;
}

AttentionProjection::Projected AttentionProjection::project(const Tensor& queries,
                                                            const Tensor& keys,
                                                            const Tensor& values,
                                                            Pass& pass) const {
  const Tensor normed = norm ? (*norm)(queries, pass) : queries;
  const bool tied = tied_kv && is_same_tensor(keys, values);
  // The columns of a fused projection: queries, then keys, then values unless they are the keys.
  const Index k = heads * width, k_end = k + kv_heads * width;
  const Index v = tied_kv ? k : k_end, end = v + kv_heads * value_width;
  Projected p;
  if (qkv && is_same_tensor(queries, keys) && is_same_tensor(keys, values)) {
    const Tensor x = (*qkv)(normed, pass);
    p.q = slice(x, 2, 0, k);
    p.k = slice(x, 2, k, k_end);
    p.v = tied ? p.k : slice(x, 2, v, end);
    return p;
  }
  // If the inputs differ, each is projected separately, by its own projection or by its rows of the
  // fused weight.
  const auto from = [&](const std::optional<Linear>& own, const Tensor& x, Index begin, Index to) {
    if (!x) return Tensor();
    const Tensor& in = is_same_tensor(x, queries) ? normed : x;
    if (own) return (*own)(in, pass);
    const Tensor &weight = qkv->weight, &bias = qkv->bias;
    return linear(in, slice(weight, 0, begin, to), bias ? slice(bias, 0, begin, to) : bias,
                  pass.precision);
  };
  p.q = from(query, queries, 0, k);
  p.k = from(key, keys, k, k_end);
  p.v = tied ? p.k : from(tied_kv ? key : value, values, v, end);
  return p;
}

void AttentionProjection::normalise(Projected& p, Pass& pass) const {
  each_head(p.q, heads, [&](const Tensor& x) { return (*query_norm)(x, pass); });
  each_head(p.k, kv_heads, [&](const Tensor& x) { return (*key_norm)(x, pass); });
}

void AttentionProjection::scale(Projected& p) const {
  each_head(p.q, heads, [&](const Tensor& x) { return x * query_scale; });
  each_head(p.k, kv_heads, [&](const Tensor& x) { return x * key_scale; });
  each_head(p.v, kv_heads, [&](const Tensor& x) { return x * value_scale; });
}

}  // namespace tapehead
