#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Returns the task `text` with the additional values bytes, bpe and gpt2 of --tokens.
TaskEntry with_bytes(TaskEntry text);

}  // namespace tapehead
