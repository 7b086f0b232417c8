#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds tokens of bytes and of byte pairs to the task `text`, and the command `tokens`.
void add_tokens(Registry& registry);

}  // namespace tapehead
