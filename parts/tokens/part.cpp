#include "part.hpp"
#include "../../cli/extensions.hpp"
#include "command.hpp"
#include "text_bytes.hpp"

namespace tapehead {

void add_tokens(Registry& registry) {
  registry.change("text", with_bytes);
  registry.extend(CommandEntry{"tokens", add_tokens_command});
}

}  // namespace tapehead
