#pragma once
#include "../core/random.hpp"
#include "../core/tensor.hpp"
#include "growing.hpp"

#include <functional>
#include <unordered_map>
#include <vector>

namespace tapehead {

/// The keys and values of the tokens that a model has seen of a batch of sequences, so that only
/// new tokens cost anything. Each layer finds its own by its address.
struct KeyValueCache {
  struct Entry {
    Growing keys, values;  // (batch, time, kv_heads d_k), (batch, time, kv_heads d_v)
  };
  std::unordered_map<const void*, Entry> entries;
  Growing ids;       ///< i32 (batch, length), where a model's input has positions added to it
  Tensor source;     ///< of an encoder-decoder, i32 (batch, n): 1 where there is a token
  Index length = 0;  ///< tokens seen; a model adds those of each pass
};

/// A place in a pass where what flows by can be read, or replaced. Of a block
///   in, out         the residual stream before and after it, (batch, time, width)
///   attention_out, cross_out, mlp_out   what a branch adds to the stream, of the same shape
/// of an attention layer
///   heads           the heads' outputs side by side, (batch, time, heads d_v)
///   pattern         its weights, (batch, heads, queries, extra + keys)
/// and of an MLP
///   neurons         what stands between its layers, (batch, time, hidden).
struct Point {
  const char* module;  ///< its path: blocks.0.attention
  const char* name;
};

/// What one forward pass needs besides its input: a layer itself holds nothing of a pass.
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

  KeyValueCache* cache = nullptr;  ///< the inputs continue it, and are added to it

  struct Captured {
    const char* module;
    Tensor weights;  ///< (batch, heads, queries, extra + keys)
  };
  /// Called at each point with what is there, and returns what goes on in its place: the same, or a
  /// tensor of its shape and type. A layer that is recomputed in backward calls it twice.
  std::function<Tensor(const Point&, const Tensor&)> hook = {};
  bool hook_patterns = false;  ///< at `pattern` too, for which the weights are stored as a whole

  /// x, or what takes its place here. Throws ShapeError if that doesn't fit.
  Tensor at(const char* module, const char* name, Tensor x) const {
    return hook ? replaced({module, name}, x) : x;
  }
  Tensor replaced(const Point& point, const Tensor& x) const;

  bool capture = false;  ///< attention layers add their weights to `captured`
  std::vector<Captured> captured = {};
};

}  // namespace tapehead
