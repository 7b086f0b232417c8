#pragma once
#include "../../cli/commands/commands.hpp"

namespace tapehead {

void add_tokens_command(const Command& app, Session& session);

}  // namespace tapehead
