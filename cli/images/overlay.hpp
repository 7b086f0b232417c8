#pragma once
// What the heads of a vision transformer look at, over the image.
#include "../../train/model/architecture.hpp"
#include "../attention/map.hpp"
#include "../terminal/terminal.hpp"
#include "../web/page.hpp"

namespace tapehead {

/// For each head of the maps the example's image, covered by the weights that the class token gives
/// to the patches; without one, by the mean of those that all patches give. Without colours the
/// weights stand beside the image. Empty for a model that reads no patches.
std::string overlay_text(const std::vector<AttentionMap>& maps, const TaskModel& model,
                         const Example& example, const Terminal& terminal);

/// The image as cli/web/images.js takes it; null for a model that reads no patches.
Json overlay_json(const TaskModel& model, const Example& example);

}  // namespace tapehead
