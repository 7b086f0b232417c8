#pragma once
// The layers that `tapehead gradcheck` and `tapehead check` test.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Returns small layers of each type in nn/, each with an input.
std::vector<LayerEntry> layer_catalog();

/// Returns the registered layers and, for each registered architecture in `names`, a small model as
/// a layer. The model's input is a batch of the first task that suits the architecture and needs no
/// file. Throws UsageError if there is no such task.
std::vector<LayerEntry> layers_and_models(const Registry& registry,
                                          const std::vector<std::string>& names);

}  // namespace tapehead
