#include "part.hpp"
#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

void add_project(Registry& registry) { registry.extend(CommandEntry{"new", add_new_command}); }

}  // namespace tapehead
