#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds `--tokens bytes`, `bpe` and `gpt2` to the task `text`.
TaskEntry with_bytes(TaskEntry text);

}  // namespace tapehead
