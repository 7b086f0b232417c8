#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds the vision transformer, `--arch vit`, and tasks of images.
void add_images(Registry& registry);

}  // namespace tapehead
