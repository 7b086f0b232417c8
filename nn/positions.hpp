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

/// A way of telling a model the positions of its tokens: by adding to its input, by turning queries
/// and keys, or by changing their scores. A scheme overrides what it does, and leaves the rest.
struct PositionScheme {
  virtual ~PositionScheme() = default;
  /// x (batch, time, width), whose first token has position `first` -> same. ids, i32 (batch, first
  /// + time), are all tokens of the sequences so far; null where the input isn't made of tokens.
  virtual Tensor add(const Tensor& x, const Tensor& /*ids*/, Index /*first*/,
                     Pass& /*pass*/) const {
    return x;
  }
  /// x (batch, time, heads * width or more), queries or keys of which the first have position
  /// `first` -> same, with the first `heads` heads turned.
  virtual Tensor turn(const Tensor& x, Index /*heads*/, Index /*width*/, Index /*first*/) const {
    return x;
  }
  /// Sets how's `bias`, `relative_keys` or `relative_values`, in `dtype`, for so many queries and
  /// keys. The queries are the last positions of the sequence.
  virtual void score(AttentionOptions& /*how*/, Index /*queries*/, Index /*keys*/,
                     DType /*dtype*/) const {}
  virtual void visit(Visitor&) {}  ///< its parameters, which are named beside those of its layer
};
/// Learned or sinusoidal positions, for a model's input; null for those that act in attention. The
/// sinusoidal scheme first multiplies x by sqrt(width), as the paper does: sines reach 1, and
/// embeddings start near 0.02.
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
