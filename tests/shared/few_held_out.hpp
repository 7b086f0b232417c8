#pragma once
// The standard tasks with few held-out examples, for tests that train many models and don't ask how
// well: evaluating 1,000 examples takes longer than their training.
#include "../../parts/parts.hpp"
#include "../../train/config/registry.hpp"

namespace tapehead {

/// The tasks of make_registry(), but none holds out more than 40 examples, except those that are
/// drawn: models ask for their type.
const Registry& few_held_out();

}  // namespace tapehead
