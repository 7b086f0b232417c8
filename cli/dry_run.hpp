#pragma once
#include <tapehead/cli/terminal.hpp>
#include <tapehead/train/dry_run.hpp>

namespace tapehead {

/// What a training would take, for people to read.
std::string to_text(const DryRun& run, const Terminal& terminal);

}  // namespace tapehead
