#pragma once
// The standard tasks with few validation examples, for tests that train many models regardless of
// quality: evaluating 1,000 examples takes longer than training.
#include "../../parts/parts.hpp"
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Returns the tasks of make_registry() with at most 40 validation examples, except tasks that some
/// models require by type.
const Registry& few_held_out();

}  // namespace tapehead
