#pragma once
#include "registry.hpp"

namespace tapehead {

/// Completes a configuration with the defaults of the task's own options and checks it, without
/// reading files: the range of every option, then the rules between options. Throws UsageError that
/// names the option.
TrainConfig validated(TrainConfig config, const Registry& registry);

}  // namespace tapehead
