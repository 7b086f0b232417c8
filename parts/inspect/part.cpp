#include "part.hpp"
#include "../../cli/extensions.hpp"
#include "command/command.hpp"
#include "command/experiments.hpp"

namespace tapehead {

void add_inspect(Registry& registry) {
  registry.extend(CommandEntry{"inspect", add_inspect_command});
  registry.extend(HeadsSummary{[](const LoadedRun& run, const Terminal& terminal) {
                                 return to_text(heads_document(run, {}, terminal), terminal);
                               },
                               "inspect heads writes pages and JSON"});
}

}  // namespace tapehead
