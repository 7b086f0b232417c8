#include "part.hpp"
#include "../../cli/extensions.hpp"
#include "command.hpp"

namespace tapehead {

void add_doctor(Registry& registry) { registry.extend(CommandEntry{"doctor", add_doctor_command}); }

}  // namespace tapehead
