#pragma once
#include "options.hpp"

namespace tapehead {

/// Completes a configuration with the defaults of its task's and its parts' own options and checks
/// it, without reading files: the range of every option, that a chosen part reads each one that
/// isn't at its default, then the rules between options. Throws UsageError that names the option.
TrainConfig validated(TrainConfig config, const Registry& registry);

/// The options of a configuration's task that its parts read, or that every run reads. Throws
/// UsageError for an unknown part.
std::vector<Option> read_options(const TrainConfig& config, const Registry& registry);

/// The configuration with the defaults of all options that none of its parts reads: so a recipe's
/// options for one optimizer are no error with another. Throws UsageError for an unknown part, and
/// for such an option that was `given`, whatever its value.
TrainConfig without_unread(TrainConfig config, const Settings& given, const Registry& registry);

/// Both in one: drops the options that the chosen parts don't read, and validates the rest.
TrainConfig resolved(const TrainConfig& config, const Settings& given, const Registry& registry);

}  // namespace tapehead
