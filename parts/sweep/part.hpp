#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `sweep`.
void add_sweep(Registry& registry);

}  // namespace tapehead
