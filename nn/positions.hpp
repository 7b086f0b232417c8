#pragma once
#include "module.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// How a model knows the position of a token. learned and sinusoidal vectors are added to a model's
/// input; the others act in each attention.
enum class Position { none, learned, sinusoidal, rotary, alibi, relative, t5 };

struct PositionOptions {
  double rotary_base = 10000;
  Index reach = 16;             ///< relative: distances beyond it share one embedding
  bool relative_values = true;  ///< relative: embeddings for values too, not for keys alone
  Index buckets = 32, max_distance = 128;  ///< t5
};

/// A way of knowing positions: it adds to a model's input, turns queries and keys, or changes how
/// their scores are made. What a scheme doesn't override stays as it is.
struct PositionScheme {
  virtual ~PositionScheme() = default;
  /// x (batch, time, width), whose first token has position `first` -> same. ids are i32 (batch,
  /// first + time), all tokens of the sequences so far; no tensor where the input isn't tokens.
  virtual Tensor add(const Tensor& x, const Tensor& /*ids*/, Index /*first*/,
                     Pass& /*pass*/) const {
    return x;
  }
  /// x (batch, time, heads * width or more), queries or keys of which the first have position
  /// `first` -> same, with the first `heads` heads turned.
  virtual Tensor turn(const Tensor& x, Index /*heads*/, Index /*width*/, Index /*first*/) const {
    return x;
  }
  /// Sets what the scores of these numbers of queries and keys, in `dtype`, depend on besides:
  /// how's `bias`, `relative_keys` or `relative_values`. The queries are the last of the sequence.
  virtual void score(AttentionOptions& /*how*/, Index /*queries*/, Index /*keys*/,
                     DType /*dtype*/) const {}
  virtual void visit(Visitor&) {}  ///< names its parameters, beside those of the layer it acts in
};
/// Learned or sinusoidal positions, for a model's input; null for those that act in attention. A
/// sinusoidal scheme multiplies x by sqrt(width) first: sines reach 1, and embeddings start at 0.02
/// (as in the paper).
std::unique_ptr<PositionScheme> input_positions(Position position, Index context, Index width,
                                                const Init& init = Init::normal(0.02));

/// Rows `first` to first + time - 1 of: column 2i is sin(position / 10000^(2i / width)), column 2i
/// + 1 its cosine (Vaswani et al.) -> (time, width).
Tensor sinusoids(Index first, Index time, Index width, DType dtype);

/// How fast each head's scores fall with distance: 2^(-8 h / heads) for h from 1 where heads is a
/// power of two, else those of the next smaller power, then every other one of the next larger
/// (Press, Smith and Lewis, "Train Short, Test Long").
std::vector<double> alibi_slopes(Index heads);
/// -slope * distance, as AttentionOptions::bias: (heads, queries + keys - 1).
Tensor alibi_bias(Index heads, Index queries, Index keys, DType dtype);

/// The bucket of the key `distance` positions after the query: near ones have a bucket of
/// their own, far ones share buckets that widen logarithmically up to max_distance (Raffel et
/// al., "T5"). Two-sided: half of the buckets are for keys before the query, half for those after.
Index t5_bucket(Index distance, bool two_sided, Index buckets, Index max_distance);
/// The buckets of all distances from 1 - keys to queries - 1: i32 (queries + keys - 1).
Tensor t5_buckets(Index queries, Index keys, bool two_sided, const PositionOptions& options);

}  // namespace tapehead
