#pragma once
// Checks layers for mistakes other than wrong gradient formulas, for `tapehead check`.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// A mistake in a layer.
struct Finding {
  enum class Kind {
    fails,         ///< construction or forward throws
    unlisted,      ///< forward uses a parameter that `visit` doesn't list
    listed_twice,  ///< `visit` lists a parameter or a name twice
    unused,        ///< a listed parameter isn't used and gets no gradient
    shape,         ///< the result's shape differs from the entry's declaration
    positions,     ///< some positions ignore an input at a distance at which others use it
    future,        ///< a position of a causal layer depends on a later one
    no_gradient,   ///< a gradient is missing or zero everywhere
    batch,         ///< a row of the result depends on other rows of the batch
    precision,     ///< f32 differs from f64 by more than rounding errors
    cache,         ///< decoding with a cache differs from one pass
    mode,          ///< evaluation differs from training by more than dropout
    chance         ///< nondeterministic: equal calls give different results
  } kind;
  std::string text;  ///< complete sentences: what was found, where, and the fix
};
const char* to_string(Finding::Kind kind);  ///< as words: `listed twice`

struct ModuleReport {
  std::string name;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< properties that hold: `causal`, `dropout in training`
};

/// Runs all these checks with values typical of a trained layer. Skips checks whose failure would
/// follow from an earlier finding. Only `check_layer` finds gradients that are wrong but not zero.
ModuleReport check_module(const LayerEntry& entry);

}  // namespace tapehead
