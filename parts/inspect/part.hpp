#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `inspect`, `attention --summary`, and `train --metric`.
void add_inspect(Registry& registry);

}  // namespace tapehead
