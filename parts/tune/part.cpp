#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

/// Adds the command `tune`, which finds a learning rate.
void add_tune(Registry& registry) {
  for (const char* name : {"from", "to", "trial-steps"}) registry.command_option(name);
  registry.extend(CommandEntry{"tune", add_tune_command});
}

}  // namespace tapehead
