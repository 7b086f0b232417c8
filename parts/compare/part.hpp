#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `compare`.
void add_compare(Registry& registry);

}  // namespace tapehead
