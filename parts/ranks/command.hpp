#pragma once
#include "../../cli/commands/commands.hpp"

namespace tapehead {

void add_launch_command(const Command& app, Session& session);

}  // namespace tapehead
