#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds training by several processes, over MPI: `launch`, `train --wire` and `--rank-timeout`.
void add_ranks(Registry& registry);

/// Whether gradients are rounded to bf16 on their way.
bool rounds(const TrainConfig& config);

}  // namespace tapehead
