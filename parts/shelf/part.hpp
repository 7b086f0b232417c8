#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the commands for many runs and their configurations: `runs`, `verify` and `config`.
void add_shelf(Registry& registry);

}  // namespace tapehead
