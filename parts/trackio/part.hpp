#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds `runs --trackio FOLDER`, which writes runs for Trackio to show.
void add_trackio(Registry& registry);

}  // namespace tapehead
