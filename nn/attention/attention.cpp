#include "attention.hpp"

#include <cmath>

namespace tapehead {

MultiHeadAttention::MultiHeadAttention(const AttentionLayerOptions& given)
    : options(with_defaults(given)),
      projection(options),
      positions(options.position.in_attention(options)) {
  const AttentionLayerOptions& o = options;
  if (o.temperature == Temperature::layer) temperature = Parameter({}, Init::constant(0), false);
  if (o.temperature == Temperature::head)
    temperature = Parameter({o.heads}, Init::constant(0), false);
  const double standard = 1 / std::sqrt(static_cast<double>(o.head_width));
  if (o.temperature == Temperature::lsa)
    scale = Parameter({o.heads}, Init::constant(o.scale > 0 ? o.scale : standard), false);
  if (o.project_out)
    out.emplace(o.heads * o.value_width, o.out_width, LinearOptions{o.out_bias, o.out_init});
}

void MultiHeadAttention::visit(Visitor& v) {
  projection.visit(v);
  v("temperature", temperature);
  v("scale", scale);
  if (positions) positions->visit(v);
  v("out", out);
}

Tensor MultiHeadAttention::forward(const Tensor& x, Pass& pass) const {
  return attend(x, x, x, pass, {{}, pass.key_mask()});
}

Tensor MultiHeadAttention::operator()(const Tensor& queries, const Tensor& keys,
                                      const Tensor& values, Pass& pass,
                                      const AttentionMasks& masks) const {
  return within([&] { return attend(queries, keys, values, pass, masks); });
}

Tensor MultiHeadAttention::attend(const Tensor& queries, const Tensor& keys, const Tensor& values,
                                  Pass& pass, const AttentionMasks& masks) const {
  const Index heads = options.heads, kv_heads = options.kv_heads;
  const bool self = is_same_tensor(queries, keys) && is_same_tensor(keys, values);
  AttentionOptions how = op_options(pass, queries.dtype());
  how.mask = masks.mask;
  how.key_mask = masks.key_mask;
  const bool hides_self = options.hide_self || options.temperature == Temperature::lsa;
  how.hide_self = hides_self && is_same_tensor(queries, keys);
  Tensor y;  // (batch, m, heads d_v)
  if (self && projection.is_joint() && !pass.cache) {
    const Index time = queries.dim(-2);
    if (positions) positions->score(how, time, time, queries.dtype(), pass);
    const Tensor qkv = projection.joint(queries, pass, positions.get());  // one matmul
    y = self_attention(qkv, heads, kv_heads, how);
  } else {  // `extra` is the number of keys from bias_kv and zero_kv
    const auto [q, k, v, extra] = projection(queries, keys, values, pass, positions.get());
    how.extra = extra;
    if (positions) positions->score(how, q.dim(1), k.dim(1) - extra, q.dtype(), pass);
    y = multi_head_attention(q, k, v, heads, kv_heads, how);
  }
  y = pass.at(path, "heads", std::move(y));  // a hook point: returns y if no hook is set
  if (out) y = (*out)(y, pass);              // (batch, m, d_o)
  if (!pass.train || options.out_dropout == 0) return y;
  return dropout(y, options.out_dropout, pass.next_key());
}

/// Returns the options of the attention op that don't depend on the inputs, except on their type.
AttentionOptions MultiHeadAttention::op_options(Pass& pass, DType dtype) const {
  AttentionOptions how;
  how.causal = options.causal;
  how.window = options.window;
  how.mask_before_scale = options.mask_before_scale;
  how.temperature = temperature;
  how.scale = scale;
  if (!scale.present && options.scale > 0) how.scale = scalar(options.scale, dtype);
  if (pass.train && options.dropout > 0) {
    how.dropout = options.dropout;
    how.key = pass.next_key();
  }
  how.replace = pass.pattern(path);  // calls a hook, if any, with the attention weights
  return how;
}

}  // namespace tapehead
