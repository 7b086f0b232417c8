#include "../../cli/extensions.hpp"
#include "command.hpp"
#include "text_bytes.hpp"

namespace tapehead {

/// Adds tokens of bytes and of byte pairs to the task `text`, and the command `tokens`.
void add_tokens(Registry& registry) {
  registry.change("text", with_bytes);
  registry.extend(CommandEntry{"tokens", add_tokens_command});
}

}  // namespace tapehead
