#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

/// Adds the commands for many runs and their configurations: `runs`, `verify` and `config`.
void add_shelf(Registry& registry) {
  registry.extend(CommandEntry{"runs", add_runs_command});
  registry.extend(CommandEntry{"verify", add_verify_command});
  registry.extend(CommandEntry{"config", add_config_command});
}

}  // namespace tapehead
