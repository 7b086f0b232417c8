#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `doctor`, which says whether this machine is all right.
void add_doctor(Registry& registry);

}  // namespace tapehead
