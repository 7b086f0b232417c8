#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Replaces option names in an error message by the aliases that the user typed: `--attention` by
/// `--mixer`, unless the user typed both. `typed` has names without dashes.
std::string with_typed_names(std::string text, const std::vector<std::string>& typed,
                             const Registry& registry);

}  // namespace tapehead
