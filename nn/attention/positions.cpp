// The position schemes that act in attention.
#include "../../core/kernels/functions/angles.hpp"
#include "../../core/kernels/functions/logarithms.hpp"
#include "attention.hpp"

#include <algorithm>
#include <cstdlib>

namespace tapehead {
namespace {

/// The positions of a layer's tokens, if they are random.
struct TokenPositions {
  TokenPositions(const RandomPositions& random, const AttentionLayerOptions& o)
      : tokens(o.tokens), range(random.checked(o.tokens)) {}
  bool are_random() const { return range > 0; }
  std::vector<Index> of(Index first, Index time, const Pass& pass) const {
    return shared_random_positions(first, time, tokens, range, pass);
  }
  /// Returns f(distance) for the distance of each key from each query, (queries * keys) of type
  /// `dtype`. The queries are the last tokens.
  template <class F>
  Tensor by_distance(Index queries, Index keys, DType dtype, const Pass& pass, const F& f) const {
    const std::vector<Index> all = of(0, keys, pass);
    std::vector<double> values;
    for (Index i = keys - queries; i < keys; ++i)
      for (const Index key : all)
        values.push_back(static_cast<double>(f(key - all[static_cast<std::size_t>(i)])));
    return tensor(values, {queries * keys}, dtype);
  }

  Index tokens, range;
};

/// Adds `bias`, (heads, queries * keys), to the scores of all examples.
void add_to_scores(AttentionOptions& how, const Tensor& bias, Index queries, Index keys) {
  if (how.mask || how.mask_before_scale)
    throw ValueError("attention: random positions can't be combined with a mask; remove one");
  how.mask = reshape(bias, {1, bias.dim(0), queries, keys});
}

/// Computes rotary() for tokens at these positions.
Tensor rotated(const Tensor& x, Index heads, Index width, const std::vector<Index>& positions,
               double base) {
  const Index batch = x.dim(0), time = x.dim(1), half = width / 2, end = heads * width;
  std::vector<double> frequencies, cosines, sines;
  for (Index i = 0; i < half; ++i)
    frequencies.push_back(kernel::pow(base, -static_cast<double>(i) / static_cast<double>(half)));
  for (const Index position : positions)
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(position) * frequency;
      cosines.push_back(kernel::cos(angle));
      sines.push_back(kernel::sin(angle));
    }
  const Tensor c = tensor(cosines, {time, 1, 1, half}, x.dtype());
  const Tensor s = tensor(sines, {time, 1, 1, half}, x.dtype());
  const Tensor pairs = reshape(slice(x, 2, 0, end), {batch, time, heads, 2, half});
  const Tensor u = slice(pairs, 3, 0, 1), v = slice(pairs, 3, 1, 2);
  const Tensor y = reshape(concat({u * c - v * s, v * c + u * s}, 3), {batch, time, end});
  return end == x.dim(2) ? y : concat({y, slice(x, 2, end, x.dim(2))}, 2);
}

struct RotaryScheme : PositionScheme {
  RotaryScheme(const RotaryPositions& kind, const AttentionLayerOptions& o)
      : base(kind.base), random(kind.random, o) {}
  Tensor rotate(const Tensor& x, Index heads, Index width, Index first,
                const Pass& pass) const override {
    return random.are_random() ? rotated(x, heads, width, random.of(first, x.dim(1), pass), base)
                               : rotary(x, heads, width, first, base);
  }
  double base;
  TokenPositions random;
};

struct AlibiScheme : PositionScheme {
  AlibiScheme(const AlibiPositions& kind, const AttentionLayerOptions& o)
      : heads(o.heads), random(kind.random, o) {}
  void score(AttentionOptions& how, Index queries, Index keys, DType dtype,
             const Pass& pass) const override {
    if (!random.are_random()) {
      how.bias = alibi_bias(heads, queries, keys, dtype);
      return;
    }
    const Tensor nearness =
        random.by_distance(queries, keys, dtype, pass, [](Index d) { return -std::abs(d); });
    const Tensor slopes = tensor(alibi_slopes(heads), {heads, 1}, dtype);
    add_to_scores(how, slopes * nearness, queries, keys);
  }
  Index heads;
  TokenPositions random;
};

struct RelativeScheme : PositionScheme {
  RelativeScheme(const RelativePositions& kind, const AttentionLayerOptions& o) {
    const Index rows = 2 * kind.reach + 1;
    keys = Parameter({rows, o.head_width}, o.in_init, true);
    if (kind.values) values = Parameter({rows, o.value_width}, o.in_init, true);
  }
  void score(AttentionOptions& how, Index, Index, DType, const Pass&) const override {
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
      : kind(kind_),
        two_sided(!o.causal),
        random(kind.random, o),
        buckets({kind.buckets, o.heads}, o.in_init, true) {
    kind.max_distance = std::max(kind.max_distance, random.range);
  }
  void score(AttentionOptions& how, Index queries, Index keys, DType,
             const Pass& pass) const override {
    if (!random.are_random()) {
      how.bias =
          transpose(gather_rows(buckets, ids(queries, keys)));  // (heads, queries + keys - 1)
      return;
    }
    const Tensor ids = random.by_distance(queries, keys, DType::i32, pass,
                                          [&](Index distance) { return bucket(distance); });
    add_to_scores(how, transpose(gather_rows(buckets, ids)), queries, keys);
  }
  void visit(Visitor& v) override { v("buckets", buckets); }

  Index bucket(Index distance) const {
    return t5_bucket(distance, two_sided, kind.buckets, kind.max_distance);
  }
  /// Returns the buckets of all distances from 1 - keys to queries - 1: i32 (queries + keys - 1).
  Tensor ids(Index queries, Index keys) const {
    Tensor all = Tensor::empty({std::max<Index>(queries + keys - 1, 0)}, DType::i32);
    auto* id = all.mutable_data<std::int32_t>();
    for (Index distance = 1 - keys; distance < queries && all.size() > 0; ++distance)
      *id++ = static_cast<std::int32_t>(bucket(distance));
    return all;
  }

  T5Positions kind;
  bool two_sided;
  TokenPositions random;
  Parameter buckets;  // (buckets, heads)
};

}  // namespace

std::unique_ptr<PositionScheme> RotaryPositions::operator()(const AttentionLayerOptions& o) const {
  return std::make_unique<RotaryScheme>(*this, o);
}

void RotaryPositions::options(Fields& f) {
  f("rotary-base", base, Range::above_one(),
    "base of the rotation frequencies, about 1 / X per position for the slowest pair");
  random.options(f);
}

std::unique_ptr<PositionScheme> AlibiPositions::operator()(const AttentionLayerOptions& o) const {
  return std::make_unique<AlibiScheme>(*this, o);
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
