#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Replaces the names of options in an error message by the aliases among the typed names:
/// `--attention` by `--mixer`, if the user typed only the latter. Names have no dashes.
std::string with_typed_names(std::string text, const std::vector<std::string>& typed,
                             const Registry& registry);

}  // namespace tapehead
