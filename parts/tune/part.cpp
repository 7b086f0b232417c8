#include "part.hpp"
#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

void add_tune(Registry& registry) {
  for (const char* name : {"from", "to", "trial-steps"}) registry.command_option(name);
  registry.extend(CommandEntry{"tune", add_tune_command});
}

}  // namespace tapehead
