#pragma once
#include "options.hpp"

namespace tapehead {

/// Completes a configuration with the default options of its task and parts and checks it, without
/// reading files. Checks the range of every option, that the chosen parts read each non-default
/// option, and constraints between options. Throws UsageError that names the option.
TrainConfig validated(TrainConfig config, const Registry& registry);

/// Returns the options that a configuration uses. Throws UsageError for an unknown part.
std::vector<Option> read_options(const TrainConfig& config, const Registry& registry);

/// Returns the configuration with unused options reset to their defaults, so that the default
/// configuration's options for one optimizer aren't an error with another. Throws UsageError for an
/// unknown part and for an unused option among those `given`.
TrainConfig without_unused(TrainConfig config, const Settings& given, const Registry& registry);

/// Resets unused options and validates the rest.
TrainConfig resolved(const TrainConfig& config, const Settings& given, const Registry& registry);

}  // namespace tapehead
