#pragma once
// The layers to check.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Returns small layers of each type in nn, with an input for each.
std::vector<LayerEntry> layer_catalog();

/// Returns the registered layers and, as layers, small models of the registered architectures that
/// `names` contains. A model's input is a batch of the first suitable task that needs no file.
/// Throws UsageError if there is no such task.
std::vector<LayerEntry> layers_and_models(const Registry& registry,
                                          const std::vector<std::string>& names);

}  // namespace tapehead
