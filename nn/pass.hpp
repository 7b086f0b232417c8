#pragma once
#include <tapehead/core/random.hpp>

#include <vector>

namespace tapehead {

/// What one forward pass needs besides its input: a layer itself holds nothing of a pass.
struct Pass {
  /// Training: dropout acts, drawing from the seed, the step and the rows' places in the batch.
  static Pass training(std::uint64_t seed, Index step, Index first_example = 0) {
    Pass pass;
    pass.train = true;
    pass.key = {seed, Draw::dropout, static_cast<std::uint32_t>(step), 0,
                static_cast<std::uint32_t>(first_example)};
    return pass;
  }
  static Pass evaluation() { return {}; }

  /// The random numbers of the next place in the model that asks for some.
  RandomKey next_key() {
    RandomKey next = key;
    key.site++;
    return next;
  }

  bool train = false;
  RandomKey key = {};

  struct Captured {
    const char* module;
    Tensor weights;  ///< (batch, heads, queries, keys)
  };
  bool capture = false;  ///< ask attention layers for their weights
  std::vector<Captured> captured = {};
};

}  // namespace tapehead
