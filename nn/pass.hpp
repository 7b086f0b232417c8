#pragma once
#include "../core/random.hpp"
#include "cache.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// A place in a pass where what flows by can be read, or replaced. A block has the points
///   in, out         the residual stream before and after it, (batch, time, width)
///   attention_out, cross_out, mlp_out   what a branch adds to the stream, of the same shape
/// an attention layer
///   heads           the heads' outputs side by side, (batch, time, heads d_v)
///   pattern         its weights, (batch, heads, queries, extra + keys)
/// and an MLP
///   neurons         what stands between its layers, (batch, time, hidden).
struct HookPoint {
  const char* module;  ///< its path: blocks.0.attention
  const char* name;
};

/// What a batch has besides inputs and targets, by name: a row for each row of the inputs.
using NamedTensors = std::map<std::string, Tensor>;

/// What one forward pass needs besides its input: a layer itself keeps nothing of it.
struct Pass {
  /// Training: dropout acts, drawn from the seed, the step and the rows' positions in the batch.
  static Pass training(std::uint64_t seed, Index step, Index first_example = 0) {
    Pass pass;
    pass.train = true;
    pass.key = {seed, Draw::dropout, static_cast<std::uint32_t>(step), 0,
                static_cast<std::uint32_t>(first_example)};
    return pass;
  }
  static Pass evaluation() { return {}; }

  /// The random numbers of the next layer that asks for some.
  RandomKey next_key() {
    RandomKey next = key;
    key.site++;
    return next;
  }

  bool train = false;
  Precision precision = Precision::f32;  ///< of the layers' products
  RandomKey key = {};

  Cache* cache = nullptr;  ///< the inputs continue it, and are added to it

  /// Of the sequences that pass through, i32 (batch, time): 1 where there is a token, and 0 where
  /// there is padding, to which no query may attend. No tensor: there is no padding. A model sets
  /// it around its blocks, by Padding.
  Tensor padding = {};
  /// The padding, for an attention that hides it. A call sets `hides_padding`: a block refuses
  /// padding if its attention hasn't made one.
  const Tensor& key_mask() {
    hides_padding = true;
    return padding;
  }
  bool hides_padding = false;  ///< the attention that ran last has called key_mask()

  const NamedTensors* named = nullptr;  ///< of the batch
  /// One of them; null where the batch has none of that name.
  Tensor from_batch(const std::string& name);
  bool reads_batch = false;  ///< a layer has called from_batch()

  /// Adds weight * x, of one element, to the loss that training makes small. Evaluations tell x by
  /// this name, the sum where several layers use it.
  void add_loss(const std::string& name, const Tensor& x, double weight);
  struct AddedLoss {
    std::string name;
    Tensor x;  // ()
    double weight;
  };
  std::vector<AddedLoss> added = {};
  /// A loss and what has been added to it, for a share of a batch.
  Tensor with_added_losses(Tensor loss, double share = 1) const;

  /// Called at each point with what is there, and returns what goes on in its place: the same, or a
  /// tensor of its shape and type. A layer that is recomputed in backward calls it twice.
  std::function<Tensor(const HookPoint&, const Tensor&)> hook = {};
  bool hook_patterns = false;  ///< at `pattern` too, for which the weights are stored as a whole

  /// x, or what takes its place here. Throws ShapeError if that doesn't fit.
  Tensor at(const char* module, const char* name, Tensor x) const {
    return hook ? replaced({module, name}, x) : x;
  }
  bool has_pattern_hook() const { return hook && hook_patterns; }
  /// What an attention layer gives the op as AttentionOptions::replace: the point `pattern`. Null
  /// where the hook doesn't see patterns.
  std::function<Tensor(const Tensor& weights)> pattern(const char* module) const;
  /// Shows the hook the pattern of a layer in which it can't be replaced. Throws Error if the hook
  /// returns another.
  void show_pattern(const char* module, const Tensor& weights) const;

 private:
  Tensor replaced(const HookPoint& point, const Tensor& x) const;
};

/// Sets the padding of a pass while it is alive.
class Padding {
 public:
  Padding(Pass& pass, Tensor padding)
      : pass_(pass), outer_(std::exchange(pass.padding, std::move(padding))) {}
  ~Padding() { pass_.padding = std::move(outer_); }
  Padding(const Padding&) = delete;
  Padding& operator=(const Padding&) = delete;

 private:
  Pass& pass_;
  Tensor outer_;
};

/// The weights of one attention layer.
struct AttentionWeights {
  const char* module;
  Tensor weights;  ///< (batch, heads, queries, extra + keys)
};
/// Makes the hook of a pass one that adds the weights of each attention layer to `all`, which must
/// outlive the pass.
void collect_weights(Pass& pass, std::vector<AttentionWeights>& all);

}  // namespace tapehead
