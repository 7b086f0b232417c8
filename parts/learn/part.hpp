#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the command `learn`, a course.
void add_learn(Registry& registry);

}  // namespace tapehead
