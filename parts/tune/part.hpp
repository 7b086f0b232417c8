#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `tune`, which finds a learning rate.
void add_tune(Registry& registry);

}  // namespace tapehead
