#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `inspect`, and `attention --summary`.
void add_inspect(Registry& registry);

}  // namespace tapehead
