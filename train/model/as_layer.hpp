#pragma once
#include "../config/registry.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The registered layers and, as layers, small models of the registered kinds that are among
/// `names`: what one reads is examples of the first task that it learns and that needs no file.
/// Throws UsageError where there is no such task.
std::vector<LayerEntry> layers_and_models(const Registry& registry,
                                          const std::vector<std::string>& names);

}  // namespace tapehead
