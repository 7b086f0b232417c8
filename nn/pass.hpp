#pragma once
#include "../core/random.hpp"
#include "cache.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tapehead {

/// A hook point: a place in a forward pass where a hook can read or replace a tensor. A block has
///   in, out         the residual stream before and after the block, (batch, time, width)
///   attention_out, cross_out, mlp_out   the output of a branch, (batch, time, width)
/// An attention layer has
///   heads           the concatenated outputs of the heads, (batch, time, heads d_v)
///   pattern         the attention weights, (batch, heads, queries, extra + keys)
/// An MLP has
///   neurons         the hidden activations, (batch, time, hidden)
struct HookPoint {
  const char* module;  ///< path of the module: blocks.0.attention
  const char* name;
};

/// Additional tensors of a batch by name, with a row for each row of the inputs.
using NamedTensors = std::map<std::string, Tensor>;

/// The state of one forward pass: mode, random key, cache, padding, hooks and added losses. Layers
/// keep no such state.
struct Pass {
  /// Returns a pass for training, with dropout. The dropout masks depend on the seed, the step and
  /// the rows' positions in the batch.
  static Pass training(std::uint64_t seed, Index step, Index first_example = 0) {
    Pass pass;
    pass.train = true;
    pass.key = {seed, Draw::dropout, static_cast<std::uint32_t>(step), 0,
                static_cast<std::uint32_t>(first_example)};
    return pass;
  }
  /// Returns a pass for evaluation, without dropout.
  static Pass evaluation() { return {}; }

  /// Returns the random key for the next layer that needs one.
  RandomKey next_key() {
    RandomKey next = key;
    key.site++;
    return next;
  }

  bool train = false;
  Precision precision = Precision::f32;  ///< precision of the layers' matmuls
  RandomKey key = {};

  Cache* cache = nullptr;  ///< the inputs continue the cached sequences and are added to the cache

  /// The padding mask, i32 (batch, time): 1 for a token and 0 for padding, to which no query may
  /// attend. Null if there is no padding. A model sets it for its blocks with a Padding object.
  Tensor padding = {};
  /// Returns the padding mask, and records that the caller, an attention layer, hides padding. A
  /// block throws if there is padding and its attention hasn't called this.
  const Tensor& key_mask() {
    hides_padding = true;
    return padding;
  }
  bool hides_padding = false;  ///< whether the last attention layer has called key_mask()

  const NamedTensors* named = nullptr;  ///< additional tensors of the batch
  /// Returns an additional tensor of the batch, or null if no tensor has that name.
  Tensor from_batch(const std::string& name);
  bool reads_batch = false;  ///< whether a layer has called from_batch()

  /// The targets of the batch, i32 (batch, time), with -1 where there is no target, or null.
  /// logits() may compute only the logits at targets; then it replaces these by the targets alone.
  Tensor targets = {};

  /// Adds weight * x to the training loss; x has one element. Evaluations report x under `name`; if
  /// several layers use the same name, they report the sum.
  void add_loss(const std::string& name, const Tensor& x, double weight);
  struct AddedLoss {
    std::string name;
    Tensor x;  // ()
    double weight;
  };
  std::vector<AddedLoss> added = {};
  /// Returns the loss plus the added losses times `share`, the fraction of the batch in this pass.
  Tensor with_added_losses(Tensor loss, double share = 1) const;

  /// A function that each hook point calls with its tensor. It returns the tensor to use: the same
  /// one, or another of the same shape and type. With activation checkpointing, backward calls it
  /// again.
  std::function<Tensor(const HookPoint&, const Tensor&)> hook = {};
  bool hook_patterns = false;  ///< also run the hook at `pattern`, which stores all weights

  /// Runs the hook at a hook point: returns x or its replacement. Throws ShapeError if the
  /// replacement has another shape.
  Tensor at(const char* module, const char* name, Tensor x) const {
    return hook ? replaced({module, name}, x) : x;
  }
  bool has_pattern_hook() const { return hook && hook_patterns; }
  /// Returns a function for AttentionOptions::replace that runs the hook at the hook point
  /// `pattern`. Returns null if the hook doesn't see attention weights.
  std::function<Tensor(const Tensor& weights)> pattern(const char* module) const;
  /// Runs the hook at the hook point `pattern` in a layer whose weights can't be replaced. Throws
  /// Error if the hook returns another tensor.
  void show_pattern(const char* module, const Tensor& weights) const;

 private:
  Tensor replaced(const HookPoint& point, const Tensor& x) const;
};

/// A scope that sets the padding of a pass.
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

/// The attention weights of one layer.
struct AttentionWeights {
  const char* module;
  Tensor weights;  ///< (batch, heads, queries, extra + keys)
};
/// Sets a hook that appends the attention weights of each layer to `all`, after the pass's own
/// hook. `all` must outlive the pass.
void collect_weights(Pass& pass, std::vector<AttentionWeights>& all);

}  // namespace tapehead
