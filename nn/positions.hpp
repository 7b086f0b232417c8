#pragma once
#include "../core/fields.hpp"
#include "module.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace tapehead {

struct AttentionLayerOptions;
struct ModelOptions;

/// Tells a model the positions of its tokens: by adding to its input, by turning queries and keys,
/// or by changing their scores. A scheme overrides one of these functions, and leaves the others.
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
  virtual Tensor rotate(const Tensor& x, Index /*heads*/, Index /*width*/, Index /*first*/) const {
    return x;
  }
  /// Sets how's `bias`, `relative_keys` or `relative_values`, in `dtype`, for so many queries and
  /// keys. The queries are the last positions of the sequence.
  virtual void score(AttentionOptions& /*how*/, Index /*queries*/, Index /*keys*/,
                     DType /*dtype*/) const {}
  virtual void visit(Visitor&) {}  ///< its parameters, which are named beside those of its layer
};

/// A kind of positions, as options hold it. It is a function that makes the scheme for the input of
/// a model, of at most `tokens` tokens, or for each self-attention:
///   std::unique_ptr<PositionScheme>(const ModelOptions&, Index tokens)
///   std::unique_ptr<PositionScheme>(const AttentionLayerOptions&)
class Positions {
 public:
  Positions() = default;  ///< none
  template <class Make, class = std::enable_if_t<!std::is_same_v<std::decay_t<Make>, Positions>>>
  Positions(Make make) {
    if constexpr (is_attention_scheme<Make>)
      in_attention_ = std::move(make);
    else
      on_input_ = std::move(make);
  }

  bool has_attention_scheme() const { return in_attention_ != nullptr; }
  bool has_input_scheme() const { return on_input_ != nullptr; }
  /// The scheme; null where there is none, or where it acts elsewhere.
  std::unique_ptr<PositionScheme> on_input(const ModelOptions& options, Index tokens) const {
    return on_input_ ? require_result("position", on_input_(options, tokens)) : nullptr;
  }
  std::unique_ptr<PositionScheme> in_attention(const AttentionLayerOptions& options) const {
    return in_attention_ ? require_result("position", in_attention_(options)) : nullptr;
  }
  /// One of the kinds below, if these positions are of it; else null.
  template <class Kind>
  const Kind* as() const {
    if constexpr (is_attention_scheme<Kind>)
      return in_attention_.template target<Kind>();
    else
      return on_input_.template target<Kind>();
  }

 private:
  template <class Make>
  static constexpr bool is_attention_scheme =
      std::is_invocable_v<const Make&, const AttentionLayerOptions&>;

  std::function<std::unique_ptr<PositionScheme>(const ModelOptions&, Index)> on_input_;
  std::function<std::unique_ptr<PositionScheme>(const AttentionLayerOptions&)> in_attention_;
};

/// A learned vector for each position is added to the input.
struct LearnedPositions {
  std::unique_ptr<PositionScheme> operator()(const ModelOptions& options, Index tokens) const;
};
/// Sines and cosines are added to the input, which is first multiplied by sqrt(width), as the paper
/// does: sines reach 1, and embeddings start near 0.02.
struct SinusoidalPositions {
  std::unique_ptr<PositionScheme> operator()(const ModelOptions& options, Index tokens) const;
};
/// Queries and keys are turned by angles that grow with the position (Su et al., "RoFormer").
struct RotaryPositions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
  void options(Fields& f);
  double base = 10000;  ///< the slowest pair turns by about 1 / base a position
};
/// Scores fall with distance (Press, Smith and Lewis, "Train Short, Test Long").
struct AlibiPositions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
};
/// A learned vector for each distance is added to keys and values (Shaw, Uszkoreit and Vaswani,
/// "Self-Attention with Relative Position Representations").
struct RelativePositions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
  void options(Fields& f);
  Index reach = 16;    ///< distances beyond it share one vector
  bool values = true;  ///< for values too, not for keys alone
};
/// A learned number for each bucket of distances is added to the scores (Raffel et al., "T5").
struct T5Positions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
  Index buckets = 32, max_distance = 128;
};

/// Rows `first` to first + time - 1 of: column 2i is sin(position / 10000^(2i / width)), column 2i
/// + 1 its cosine (Vaswani et al.) -> (time, width).
Tensor sinusoids(Index first, Index time, Index width, DType dtype);

/// How fast each head's scores fall with distance: 2^(-8 h / heads) for h from 1 where heads is a
/// power of two, else those of the next smaller power, then every other one of the next larger.
std::vector<double> alibi_slopes(Index heads);
/// -slope * distance, as AttentionOptions::bias: (heads, queries + keys - 1).
Tensor alibi_bias(Index heads, Index queries, Index keys, DType dtype);

/// The bucket of the key `distance` positions after the query: near ones have a bucket of
/// their own, far ones share buckets that widen logarithmically up to max_distance. Two-sided: half
/// of the buckets are for keys before the query, half for those after.
Index t5_bucket(Index distance, bool two_sided, Index buckets, Index max_distance);

}  // namespace tapehead
