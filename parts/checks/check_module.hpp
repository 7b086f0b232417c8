#pragma once
// Finds mistakes in layers other than wrong gradient formulas, for `tapehead check`.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// A mistake in a layer.
struct Finding {
  enum class Kind {
    fails,         ///< construction or forward throws an exception
    unlisted,      ///< forward uses a parameter that `visit` doesn't list
    listed_twice,  ///< `visit` lists a parameter or a name twice
    unused,        ///< forward doesn't use a listed parameter
    shape,         ///< the result's shape differs from the declared one
    positions,     ///< a position ignores inputs at a distance at which other positions use them
    future,        ///< a position of a causal layer depends on a later one
    no_gradient,   ///< a gradient is missing or zero everywhere
    batch,         ///< a row of the result depends on other rows of the batch
    precision,     ///< f32 differs from f64 by more than rounding errors
    cache,         ///< decoding with a cache and one pass give different results
    mode,          ///< training and evaluation differ by more than dropout
    chance         ///< nondeterministic: equal calls give different results
  } kind;
  std::string text;  ///< complete sentences: the mistake, its place and the fix
};
const char* to_string(Finding::Kind kind);  ///< returns words, such as `listed twice`

struct ModuleReport {
  std::string name;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< properties that were verified, such as `causal`
};

/// Searches a layer for all kinds of mistakes, with values typical of a trained layer. Skips checks
/// that would fail because of an earlier finding. Doesn't find gradients that are wrong but not
/// zero; see check_layer.
ModuleReport check_module(const LayerEntry& entry);

}  // namespace tapehead
