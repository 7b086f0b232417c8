#include "part.hpp"
#include "../../cli/extensions.hpp"

namespace tapehead {

void add_huggingface(Registry& registry) {
  registry.extend(CommandEntry{"import", add_import_command});
  registry.extend(ExportFormat{"huggingface",
                               "a GPT-2 as transformers loads it, with its tokenizer", write_hub});
}

}  // namespace tapehead
