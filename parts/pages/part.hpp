#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `report`, and pages and pictures of `attention`, `explain` and `sweep`.
void add_pages(Registry& registry);

}  // namespace tapehead
