#pragma once
#include "../core/ops.hpp"

#include <any>
#include <unordered_map>
#include <utility>

namespace tapehead {

/// A tensor (batch, time, ...) for caches. Rows are appended along the time axis. For a batch of
/// one, the memory doubles when it is full, so most appends don't copy the earlier rows.
class AppendableTensor {
 public:
  AppendableTensor(Tensor x = {}) : memory_(std::move(x)), time_(memory_ ? memory_.dim(1) : 0) {}

  Index time() const { return time_; }
  Tensor all() const;  ///< all rows, (batch, time, ...); null if there are none
  /// Appends rows (batch, more, ...), and returns all rows. Tensors that `all` has returned don't
  /// change.
  Tensor add(const Tensor& rows);

 private:
  Tensor memory_;  // (batch, capacity, ...)
  Index time_ = 0;
};

/// The state of decoding a batch of sequences, such as the KV cache. A model with this state
/// processes only new tokens. Copies of a cache can be continued independently.
struct Cache {
  /// Returns the state of a layer. T is any copyable type, and the first call for a layer returns
  /// T(). Throws Error if an earlier call for the layer had another T.
  template <class T>
  T& state(const void* layer) {
    std::any& kept = layers[layer];
    if (!kept.has_value()) kept = T();
    if (T* const state = std::any_cast<T>(&kept)) return *state;
    throw Error("cache: a layer must use the same state type in each call of Cache::state");
  }

  std::unordered_map<const void*, std::any> layers;  ///< states by the address of the layer
  /// All tokens, i32 (batch, length), if the model adds positions to its input.
  AppendableTensor ids;
  Tensor source;     ///< source mask of an encoder-decoder, i32 (batch, n): 1 for a token
  Index length = 0;  ///< number of cached tokens; a model adds the tokens of each pass
};

}  // namespace tapehead
