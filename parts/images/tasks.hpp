#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

// With recipes for `--arch vit`, which the registry has.
TaskEntry shapes_task(const Registry& registry);
TaskEntry digits_task(const Registry& registry);
TaskEntry images_task(const Registry& registry);

}  // namespace tapehead
