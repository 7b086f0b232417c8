#pragma once
// The parts of a model that come with Tapehead.
#include "../config/registry.hpp"

namespace tapehead {

std::vector<ModelPart> attention_parts();  ///< `--attention`
std::vector<ModelPart> position_parts();   ///< `--position`
std::vector<ModelPart> norm_parts();       ///< `--norm`
std::vector<ModelPart> mlp_parts();        ///< `--mlp`

/// The options of a configuration's model, made of its parts; without what follows from the task.
ModelOptions model_options(const TrainConfig& config, const Registry& registry);

}  // namespace tapehead
