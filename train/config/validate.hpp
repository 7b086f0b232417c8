#pragma once
#include "options.hpp"

namespace tapehead {

/// Completes a configuration with the default options of its task and parts and checks it, without
/// reading files. Checks the range of every option, that the chosen parts read each non-default
/// option, and constraints between options. Throws UsageError that names the option.
TrainConfig validated(TrainConfig config, const Registry& registry);

/// Returns the options that a configuration uses. Throws UsageError for an unknown part.
std::vector<Option> read_options(const TrainConfig& config, const Registry& registry);

/// Resets the options that the configuration doesn't use to their defaults. Otherwise, for example,
/// AdamW options of the default configuration would be errors with another optimizer. Throws
/// UsageError for an unknown part, and if one of the `given` options is unused.
TrainConfig without_unused(TrainConfig config, const Settings& given, const Registry& registry);

/// Resets unused options and validates the rest.
TrainConfig resolved(const TrainConfig& config, const Settings& given, const Registry& registry);

}  // namespace tapehead
