#pragma once
#include "../config/registry.hpp"

namespace tapehead {

/// Registers the layers of nn/zoo as `--attention NAME`, as a program would its own.
void add_zoo(Registry& registry);

}  // namespace tapehead
