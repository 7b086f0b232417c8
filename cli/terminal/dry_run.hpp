#pragma once
#include "../../train/dry_run.hpp"
#include "terminal.hpp"

namespace tapehead {

/// Formats the memory and time that a training run would take.
std::string to_text(const DryRun& run, const Terminal& terminal);

}  // namespace tapehead
