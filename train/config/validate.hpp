#pragma once
#include "registry.hpp"

namespace tapehead {

/// Completes a configuration with the defaults of the task's own options, and checks it, reading no
/// file: the range of every option, then the rules between them. Throws UsageError that names the
/// option.
TrainConfig validated(TrainConfig config, const Registry& registry);

}  // namespace tapehead
