// The position schemes that act in attention.
#include "attention.hpp"

namespace tapehead {
namespace {

struct RotaryScheme : PositionScheme {
  explicit RotaryScheme(double base_) : base(base_) {}
  Tensor rotate(const Tensor& x, Index heads, Index width, Index first) const override {
    return rotary(x, heads, width, first, base);
  }
  double base;
};

struct AlibiScheme : PositionScheme {
  explicit AlibiScheme(Index heads_) : heads(heads_) {}
  void score(AttentionOptions& how, Index queries, Index keys, DType dtype) const override {
    how.bias = alibi_bias(heads, queries, keys, dtype);
  }
  Index heads;
};

struct RelativeScheme : PositionScheme {
  RelativeScheme(const RelativePositions& kind, const AttentionLayerOptions& o) {
    const Index rows = 2 * kind.reach + 1;
    keys = Parameter({rows, o.head_width}, o.in_init, true);
    if (kind.values) values = Parameter({rows, o.value_width}, o.in_init, true);
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

struct T5Scheme : PositionScheme {
  T5Scheme(const T5Positions& kind_, const AttentionLayerOptions& o)
      : kind(kind_), two_sided(!o.causal), buckets({kind.buckets, o.heads}, o.in_init, true) {}
  void score(AttentionOptions& how, Index queries, Index keys, DType) const override {
    how.bias = transpose(gather_rows(buckets, ids(queries, keys)));  // (heads, queries + keys - 1)
  }
  void visit(Visitor& v) override { v("buckets", buckets); }

  /// Returns the buckets of all distances from 1 - keys to queries - 1: i32 (queries + keys - 1).
  Tensor ids(Index queries, Index keys) const {
    Tensor all = Tensor::empty({std::max<Index>(queries + keys - 1, 0)}, DType::i32);
    auto* id = all.mutable_data<std::int32_t>();
    for (Index distance = 1 - keys; distance < queries && all.size() > 0; ++distance)
      *id++ = static_cast<std::int32_t>(
          t5_bucket(distance, two_sided, kind.buckets, kind.max_distance));
    return all;
  }

  T5Positions kind;
  bool two_sided;
  Parameter buckets;  // (buckets, heads)
};

}  // namespace

std::unique_ptr<PositionScheme> RotaryPositions::operator()(const AttentionLayerOptions&) const {
  return std::make_unique<RotaryScheme>(base);
}

void RotaryPositions::options(Fields& f) {
  f("rotary-base", base, Range::above_one(),
    "base of the rotation frequencies, about 1 / X per position for the slowest pair");
}

std::unique_ptr<PositionScheme> AlibiPositions::operator()(const AttentionLayerOptions& o) const {
  return std::make_unique<AlibiScheme>(o.heads);
}

std::unique_ptr<PositionScheme> RelativePositions::operator()(
    const AttentionLayerOptions& o) const {
  if (reach < 0) throw ValueError("attention: reach is {}, expected at least 0", reach);
  return std::make_unique<RelativeScheme>(*this, o);
}

void RelativePositions::options(Fields& f) {
  f("reach", reach, 0, 1 << 16, "largest distance; longer distances count as this one");
}

std::unique_ptr<PositionScheme> T5Positions::operator()(const AttentionLayerOptions& o) const {
  if (buckets < 4 || buckets % 4 != 0 || max_distance <= buckets)
    throw ValueError(
        "attention: buckets is {} and max_distance is {}; expected a multiple of 4 and a larger "
        "distance",
        buckets, max_distance);
  return std::make_unique<T5Scheme>(*this, o);
}

}  // namespace tapehead
