#include "../../core/ops.hpp"
#include "options.hpp"

namespace tapehead {
namespace {

/// Su et al., "RoFormer".
struct RotaryPositions : PositionScheme {
  explicit RotaryPositions(double base_) : base(base_) {}
  Tensor turn(const Tensor& x, Index heads, Index width, Index first) const override {
    return rotary(x, heads, width, first, base);
  }
  double base;
};

struct AlibiPositions : PositionScheme {
  explicit AlibiPositions(Index heads_) : heads(heads_) {}
  void score(AttentionOptions& how, Index queries, Index keys, DType dtype) const override {
    how.bias = alibi_bias(heads, queries, keys, dtype);
  }
  Index heads;
};

/// Shaw, Uszkoreit and Vaswani, "Self-Attention with Relative Position Representations".
struct RelativePositions : PositionScheme {
  explicit RelativePositions(const AttentionLayerOptions& o) {
    const Index rows = 2 * o.positions.reach + 1;
    keys = Parameter({rows, o.head_width}, o.in_init, true);
    if (o.positions.relative_values) values = Parameter({rows, o.value_width}, o.in_init, true);
  }
  void score(AttentionOptions& how, Index, Index, DType) const override {
    how.relative_keys = keys;
    how.relative_values = values;
  }
  void visit(Visitor& v) override {
    v("relative_keys", keys);
    v("relative_values", values);
  }
  Parameter keys, values;  // (2 reach + 1, d_k), (2 reach + 1, d_v)
};

struct T5Positions : PositionScheme {
  explicit T5Positions(const AttentionLayerOptions& o)
      : options(o.positions),
        two_sided(!o.causal),
        buckets({o.positions.buckets, o.heads}, o.in_init, true) {}
  void score(AttentionOptions& how, Index queries, Index keys, DType) const override {
    const Tensor ids = t5_buckets(queries, keys, two_sided, options);
    how.bias = transpose(gather_rows(buckets, ids));  // (heads, queries + keys - 1)
  }
  void visit(Visitor& v) override { v("buckets", buckets); }

  PositionOptions options;
  bool two_sided;
  Parameter buckets;  // (buckets, heads)
};

}  // namespace

std::unique_ptr<PositionScheme> attention_positions(const AttentionLayerOptions& o) {
  if (o.scheme) return o.scheme(o);
  switch (o.position) {
    case Position::rotary:
      return std::make_unique<RotaryPositions>(o.positions.rotary_base);
    case Position::alibi:
      return std::make_unique<AlibiPositions>(o.heads);
    case Position::relative:
      return std::make_unique<RelativePositions>(o);
    case Position::t5:
      return std::make_unique<T5Positions>(o);
    default:
      return nullptr;
  }
}

}  // namespace tapehead
