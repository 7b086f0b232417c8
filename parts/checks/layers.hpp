#pragma once
// The layers that are checked.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Small layers of each kind in nn, with an input for each.
std::vector<LayerEntry> layer_catalog();

/// The registered layers and, as layers, small models of the registered kinds that are among
/// `names`: what one reads is examples of the first task that it learns and that needs no file.
/// Throws UsageError where there is no such task.
std::vector<LayerEntry> layers_and_models(const Registry& registry,
                                          const std::vector<std::string>& names);

}  // namespace tapehead
