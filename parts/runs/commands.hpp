#pragma once

namespace tapehead {

class Command;
struct Session;

void add_runs_command(const Command& app, Session& session);
void add_verify_command(const Command& app, Session& session);
void add_config_command(const Command& app, Session& session);

}  // namespace tapehead
