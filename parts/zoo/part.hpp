#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds other kinds of attention: `--attention NAME`.
void add_zoo(Registry& registry);

}  // namespace tapehead
