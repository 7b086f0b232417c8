#include "layers.hpp"
#include "../../core/plural.hpp"

namespace tapehead::zoo {
namespace {

AttentionLayerOptions without_projection(AttentionLayerOptions options) {
  options.project_out = false;
  return causal(options);
}

}  // namespace

AttentionLayerOptions causal(AttentionLayerOptions options) {
  options.causal = true;
  return with_defaults(options);
}

AttentionLayerOptions require_own_keys(const char* layer, const AttentionLayerOptions& options) {
  const AttentionLayerOptions o = causal(options);
  if (o.kv_heads != o.heads)
    throw ValueError("{} requires --kv-heads equal to --heads, got {} and {}", layer, o.kv_heads,
                     o.heads);
  return o;
}

Linear projection_out(const AttentionLayerOptions& o) {
  return Linear(o.heads * o.value_width, o.out_width, {o.out_bias, o.out_init});
}

Tensor split_heads(const Tensor& x, Index heads) {
  return transpose(reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads}), 1, 2);
}

Tensor merge_heads(const Tensor& x) {
  return reshape(transpose(x, 1, 2), {x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
}

Index first_position(const Pass& pass) { return pass.cache ? pass.cache->length : 0; }

void append_to_cache(Pass& pass, const Module& layer, Tensor& keys, Tensor& values) {
  if (!pass.cache) return;
  auto& held = pass.cache->state<KeyValueCache>(&layer);
  keys = held.keys.add(keys);
  values = held.values.add(values);
}

AttentionOptions op_options(const AttentionLayerOptions& options, const PositionScheme* positions,
                            Index queries, Index keys, DType dtype, Pass& pass) {
  AttentionOptions how;
  how.causal = true;
  how.window = options.window;
  how.key_mask = pass.key_mask();
  if (positions) positions->score(how, queries, keys, dtype, pass);
  if (pass.train && options.dropout > 0) {
    how.dropout = options.dropout;
    how.key = pass.next_key();
  }
  return how;
}

GatedHeads::GatedHeads(AttentionLayerOptions o)
    : attention(without_projection(o)),
      gate(o.width, attention.options.heads * attention.options.value_width, {false, o.in_init}),
      out(projection_out(attention.options)) {}

Tensor GatedHeads::forward(const Tensor& x, Pass& pass) const {
  return out(attention(x, pass) * sigmoid(gate(x, pass)), pass);
}

}  // namespace tapehead::zoo
