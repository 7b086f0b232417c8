#pragma once
#include "../../cli/commands/commands.hpp"
#include "../../train/trainer.hpp"

namespace tapehead {

/// Adds `import`, and `export --format huggingface`.
void add_huggingface(Registry& registry);

void add_import_command(const Command& app, Session& session);
/// Writes a run of a GPT-2 to a folder as transformers loads it; the names of what was written.
std::string write_hub(const LoadedRun& run, const std::string& folder);

}  // namespace tapehead
