// The descriptors of the attention ops. Their functions also accept matrices: a single example, or
// for `attention` a single head.
#include "../ops.hpp"
#include "families.hpp"

namespace tapehead {
namespace {

AttentionOptions options_of(bool causal, bool hide_self, Index window, double dropout, Index seed) {
  AttentionOptions options;
  options.causal = causal;
  options.hide_self = hide_self;
  options.window = window;
  options.dropout = dropout;
  options.key = {static_cast<std::uint64_t>(seed), Draw::test, 1, 1};
  return options;
}

Tensor as_head(const Tensor& x) {
  return x && x.rank() == 2 ? reshape(x, {1, 1, x.dim(0), x.dim(1)}) : x;
}
Tensor as_example(const Tensor& x) {
  return x && x.rank() == 2 ? reshape(x, {1, x.dim(0), x.dim(1)}) : x;
}
/// Reshapes y to a matrix if x is a matrix.
Tensor like(const Tensor& x, const Tensor& y) {
  return x.rank() == 2 ? reshape(y, {y.dim(-2), y.dim(-1)}) : y;
}

Tensor call_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                      const Tensor& temperature, const Tensor& key_mask, const Tensor& bias,
                      const Tensor& relative_keys, const Tensor& relative_values,
                      const Tensor& scale, bool causal, bool hide_self, Index window, Index extra,
                      bool mask_before_scale, double dropout, Index seed) {
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
  return like(q, attention(as_head(q), as_head(k), as_head(v), options));
}

Tensor call_multi_head(const Tensor& q, const Tensor& k, const Tensor& v, Index heads,
                       std::optional<Index> kv_heads, bool causal, bool hide_self, Index window,
                       double dropout, Index seed) {
  return like(q, multi_head_attention(as_example(q), as_example(k), as_example(v), heads,
                                      kv_heads.value_or(heads),
                                      options_of(causal, hide_self, window, dropout, seed)));
}

Tensor call_self(const Tensor& qkv, Index heads, std::optional<Index> kv_heads, bool causal,
                 bool hide_self, Index window, double dropout, Index seed) {
  return like(qkv, self_attention(as_example(qkv), heads, kv_heads.value_or(heads),
                                  options_of(causal, hide_self, window, dropout, seed)));
}

Tensor call_rotary(const Tensor& x, Index heads, std::optional<Index> width, Index first,
                   double base, bool back) {
  if (heads < 1) throw ValueError("rotary: heads must be at least 1, got {}", heads);
  return like(x,
              rotary(as_example(x), heads, width ? *width : x.dim(-1) / heads, first, base, back));
}

}  // namespace

std::vector<Op> attention_ops() {
  return {
      {"attention",
       "y = softmax(q k^T exp(s) / sqrt(d) + mask) v",
       {"dq = dscore k", "dk = dscore^T q",
        "dv = w^T dy; dscore = w (dy v^T - sum(dy y)) exp(s) / sqrt(d)"},
       call_attention,
       {"q",
        "k",
        {"v"},
        optional("mask"),
        optional("temperature"),
        optional("key_mask"),
        optional("bias"),
        optional("relative_keys"),
        optional("relative_values"),
        optional("scale"),
        {"causal", false},
        {"hide_self", false},
        {"window", 0},
        {"extra", 0},
        {"mask_before_scale", false},
        {"dropout", 0.0},
        {"seed", 1}}},
      {"multi_head_attention",
       "y = attention(q, k, v) with concatenated heads",
       {"as for attention, with concatenated heads"},
       call_multi_head,
       {"q",
        "k",
        {"v"},
        {"heads", 1},
        {"kv_heads", "heads"},
        {"causal", false},
        {"hide_self", false},
        {"window", 0},
        {"dropout", 0.0},
        {"seed", 1}}},
      {"self_attention",
       "y = attention(q, k, v) with q, k and v concatenated in one tensor",
       {"as for attention, concatenated"},
       call_self,
       {"qkv",
        {"heads", 1},
        {"kv_heads", "heads"},
        {"causal", false},
        {"hide_self", false},
        {"window", 0},
        {"dropout", 0.0},
        {"seed", 1}}},
      {"rotary",
       "(a, b) -> (a cos - b sin, b cos + a sin) for each pair, by angles that depend on its "
       "position",
       {"dx = dy, rotated by the opposite angles"},
       call_rotary,
       {"x", {"heads", 1}, {"width", "all"}, {"first", 0}, {"base", 10000.0}, {"back", false}}},
  };
}

}  // namespace tapehead
