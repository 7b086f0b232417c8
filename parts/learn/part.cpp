#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

/// Adds the command `learn`, a course.
void add_learn(Registry& registry) { registry.extend(CommandEntry{"learn", add_learn_command}); }

}  // namespace tapehead
