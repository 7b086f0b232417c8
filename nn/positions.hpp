#pragma once
#include "../core/fields.hpp"
#include "module.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace tapehead {

struct AttentionLayerOptions;
struct ModelOptions;

/// A position scheme. It encodes token positions by adding to the model's input, by rotating
/// queries and keys, or by changing attention scores. A derived class overrides the function for
/// one of these.
struct PositionScheme {
  virtual ~PositionScheme() = default;
  /// Adds positions to x (batch, time, width) -> same. The first row has position `first`. ids, i32
  /// (batch, first + time), are all tokens of the sequences so far; null if the input isn't tokens.
  virtual Tensor add(const Tensor& x, const Tensor& /*ids*/, Index /*first*/,
                     Pass& /*pass*/) const {
    return x;
  }
  /// Rotates the first `heads` heads of queries or keys: x (batch, time, heads * width or more) ->
  /// same. The first row has position `first`.
  virtual Tensor rotate(const Tensor& x, Index /*heads*/, Index /*width*/, Index /*first*/,
                        const Pass& /*pass*/) const {
    return x;
  }
  /// Sets `bias`, `mask`, `relative_keys` or `relative_values` of the attention options, with
  /// element type `dtype`. The queries are the last positions of the sequence.
  virtual void score(AttentionOptions& /*how*/, Index /*queries*/, Index /*keys*/, DType /*dtype*/,
                     const Pass& /*pass*/) const {}
  virtual void visit(Visitor&) {}  ///< visits its parameters; their names are relative to the layer
};

/// An option that selects a position scheme. It holds the factory of the scheme, either for the
/// input of a model of at most `tokens` tokens, or for each self-attention:
///   std::unique_ptr<PositionScheme>(const ModelOptions&, Index tokens)
///   std::unique_ptr<PositionScheme>(const AttentionLayerOptions&)
class Positions {
 public:
  Positions() = default;  ///< no positions
  template <class Make, class = std::enable_if_t<!std::is_same_v<std::decay_t<Make>, Positions>>>
  Positions(Make make) {
    if constexpr (is_attention_scheme<Make>)
      in_attention_ = std::move(make);
    else
      on_input_ = std::move(make);
  }

  bool has_attention_scheme() const { return in_attention_ != nullptr; }
  bool has_input_scheme() const { return on_input_ != nullptr; }
  /// Makes the scheme for the input. Returns null if no scheme is selected, or if it acts in
  /// attention.
  std::unique_ptr<PositionScheme> on_input(const ModelOptions& options, Index tokens) const {
    return on_input_ ? require_result("position", on_input_(options, tokens)) : nullptr;
  }
  /// Makes the scheme for attention. Returns null if no scheme is selected, or if it acts on the
  /// input.
  std::unique_ptr<PositionScheme> in_attention(const AttentionLayerOptions& options) const {
    return in_attention_ ? require_result("position", in_attention_(options)) : nullptr;
  }
  /// Returns the stored factory if its type is Kind, such as RotaryPositions; otherwise null.
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

/// Randomized positions (Ruoss et al., "Randomized Positional Encodings Boost Length Generalization
/// of Transformers"). In training, the tokens of an example have random positions below `range`, in
/// ascending order; in evaluation, a fixed random choice of as many as the model reads. So a model
/// can read longer sequences than in training, since it has seen their positions and distances.
struct RandomPositions {
  void options(Fields& f);
  /// Returns the range. Throws ValueError if a model of at most `tokens` tokens has too few
  /// positions, or if `tokens` isn't known.
  Index checked(Index tokens) const;
  Index range = 0;  ///< 0: positions 0, 1, 2, ...
};
/// Learned positions: a vector for each position, added to the input.
struct LearnedPositions {
  std::unique_ptr<PositionScheme> operator()(const ModelOptions& options, Index tokens) const;
  void options(Fields& f) { random.options(f); }
  RandomPositions random = {};
};
/// Sinusoidal positions (Vaswani et al.): multiplies the input by sqrt(width) and adds sines and
/// cosines. The factor is needed because sines reach 1, while embeddings start near 0.02.
struct SinusoidalPositions {
  std::unique_ptr<PositionScheme> operator()(const ModelOptions& options, Index tokens) const;
  void options(Fields& f) { random.options(f); }
  RandomPositions random = {};
};
/// Rotary positions (Su et al., "RoFormer"): rotates queries and keys by angles that grow with the
/// position.
struct RotaryPositions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
  void options(Fields& f);
  double base = 10000;  ///< the slowest pair of features rotates by about 1 / base rad per position
  RandomPositions random = {};
};
/// ALiBi (Press, Smith and Lewis, "Train Short, Test Long"): adds to the scores a bias that falls
/// linearly with the distance.
struct AlibiPositions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
  void options(Fields& f) { random.options(f); }
  RandomPositions random = {};
};
/// Relative positions (Shaw, Uszkoreit and Vaswani, "Self-Attention with Relative Position
/// Representations"): adds a learned vector for each distance to keys and values.
struct RelativePositions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
  void options(Fields& f);
  Index reach = 16;    ///< larger distances share one vector
  bool values = true;  ///< also add to values, not only to keys
};
/// T5's relative positions (Raffel et al.): adds a learned number for each bucket of distances to
/// the scores. With random positions, the buckets extend to their range.
struct T5Positions {
  std::unique_ptr<PositionScheme> operator()(const AttentionLayerOptions& options) const;
  void options(Fields& f) { random.options(f); }
  Index buckets = 32, max_distance = 128;
  RandomPositions random = {};
};

/// Returns sinusoidal positions (time, width) for positions `first` to first + time - 1 (Vaswani et
/// al.). Column 2i is sin(position / 10000^(2i / width)), and column 2i + 1 is the cosine.
Tensor sinusoids(Index first, Index time, Index width, DType dtype);

/// Draws the positions of `rows` sequences for RandomPositions, i32 (rows, time). Each sequence has
/// had `first` tokens before, and at most `tokens` in all. `tokens` is at most `range`.
Tensor random_positions(Index rows, Index first, Index time, Index tokens, Index range, Pass& pass);
/// Draws the positions of `time` tokens after `first` others, in ascending order. All layers and
/// examples of a training step with as many tokens have the same positions.
std::vector<Index> shared_random_positions(Index first, Index time, Index tokens, Index range,
                                           const Pass& pass);

/// Returns the ALiBi slope of each head. If heads is a power of two, head h, counted from 1, has
/// 2^(-8 h / heads). Otherwise: the slopes of the next smaller power of two, followed by every
/// other slope of the next larger one.
std::vector<double> alibi_slopes(Index heads);
/// Returns -slope * distance as AttentionOptions::bias, (heads, queries + keys - 1).
Tensor alibi_bias(Index heads, Index queries, Index keys, DType dtype);

/// Returns the T5 bucket of the key `distance` positions after the query. Near keys have separate
/// buckets; far keys share buckets that widen logarithmically up to max_distance. If `two_sided`,
/// half of the buckets are for keys before the query and half for keys after it.
Index t5_bucket(Index distance, bool two_sided, Index buckets, Index max_distance);

}  // namespace tapehead
