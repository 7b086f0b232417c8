#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `new`, which begins a program of one's own.
void add_project(Registry& registry);

}  // namespace tapehead
