#pragma once
#include "../core/ops.hpp"

#include <any>
#include <unordered_map>
#include <utility>

namespace tapehead {

/// A tensor (batch, time, ...) to which rows are added along its axis of time, as to a cache. In a
/// batch of one, new rows are written behind the others, in memory that doubles when it is full;
/// `concat` would copy all of them each time.
class AppendableTensor {
 public:
  AppendableTensor(Tensor x = {}) : memory_(std::move(x)), time_(memory_ ? memory_.dim(1) : 0) {}

  Index time() const { return time_; }
  Tensor all() const;  ///< (batch, time, ...); null before the first rows
  /// Adds rows, (batch, more, ...), and returns all. What `all` gave before stays as it was.
  Tensor add(const Tensor& rows);

 private:
  Tensor memory_;  // (batch, capacity, ...)
  Index time_ = 0;
};

/// What a model keeps of the tokens that it has seen of a batch of sequences, so that only new
/// tokens cost anything. It can be copied, and the copy continued apart.
struct Cache {
  /// What a layer keeps: of any type that can be copied, and T() at first.
  template <class T>
  T& state(const void* layer) {
    std::any& kept = layers[layer];
    if (!kept.has_value()) kept = T();
    if (T* const state = std::any_cast<T>(&kept)) return *state;
    throw Error("a cache: a layer asks for a state of another type than it keeps");
  }

  std::unordered_map<const void*, std::any> layers;  ///< by the address of the layer
  AppendableTensor ids;  ///< i32 (batch, length), if the model adds positions to its input
  Tensor source;         ///< of an encoder-decoder, i32 (batch, n): 1 where there is a token
  Index length = 0;      ///< tokens seen; a model adds those of each pass
};

}  // namespace tapehead
