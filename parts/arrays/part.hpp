#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds archives of arrays, .npz: `export --format npz`, `attention --format npz` and
/// `eval --predictions`.
void add_arrays(Registry& registry);

}  // namespace tapehead
