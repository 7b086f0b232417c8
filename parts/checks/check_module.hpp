#pragma once
// What goes wrong with layers, besides the formulas of their gradients: what `tapehead check`
// shows.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Something wrong with a layer.
struct Finding {
  enum class Kind {
    fails,         ///< it can't be made, or forward throws
    unlisted,      ///< a parameter is used, and `visit` doesn't list it
    listed_twice,  ///< `visit` lists a parameter again, or gives two the same name
    unused,        ///< a parameter is listed, and neither read nor given a gradient
    shape,         ///< the result's shape isn't what the entry promises
    positions,     ///< of two positions one depends on what is so far before it, and one doesn't
    future,        ///< a position of a causal layer depends on a later one
    no_gradient,   ///< a gradient is missing or zero everywhere
    batch,         ///< a row of the result depends on the batch's other rows
    precision,     ///< f32 differs from f64 by more than rounding explains
    cache,         ///< token by token with a cache isn't what all at once is
    mode,          ///< evaluation isn't training without dropout
    chance         ///< two calls with the same inputs differ
  } kind;
  std::string text;  ///< whole sentences: what was seen, and where, and what to do
};
const char* to_string(Finding::Kind kind);  ///< in words: `listed twice`

struct ModuleReport {
  std::string name;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< what was seen that is right: `causal`, `dropout in training`
};

/// Looks for all of these, with values as after training; for some of them only until one is found,
/// because what follows from it isn't a fault of its own. Gradients that are wrong but not zero are
/// found by `check_layer`.
ModuleReport check_module(const LayerEntry& entry);

}  // namespace tapehead
