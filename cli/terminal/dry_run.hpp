#pragma once
#include "../../train/watch/dry_run.hpp"
#include "terminal.hpp"

namespace tapehead {

/// What a training would take, for people to read.
std::string to_text(const DryRun& run, const Terminal& terminal);

}  // namespace tapehead
