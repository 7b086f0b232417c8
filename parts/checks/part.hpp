#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the commands `gradcheck` and `check`.
void add_checks(Registry& registry);

}  // namespace tapehead
