#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `explain`.
void add_explain(Registry& registry);

}  // namespace tapehead
