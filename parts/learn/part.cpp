#include "part.hpp"
#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

void add_learn(Registry& registry) { registry.extend(CommandEntry{"learn", add_learn_command}); }

}  // namespace tapehead
