#include "part.hpp"
#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

void add_shelf(Registry& registry) {
  registry.extend(CommandEntry{"runs", add_runs_command});
  registry.extend(CommandEntry{"verify", add_verify_command});
  registry.extend(CommandEntry{"config", add_config_command});
}

}  // namespace tapehead
