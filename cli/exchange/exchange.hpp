#pragma once
// Models in and out, in the formats of others.
#include "../commands/commands.hpp"

namespace tapehead {

void add_import_command(const Command& app, Session& session);
void add_export_command(const Command& app, Session& session);

}  // namespace tapehead
