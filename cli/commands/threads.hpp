#pragma once
#include "../options/command.hpp"

namespace tapehead {

/// Adds the option --threads, the number of threads that a command computes with.
CommandOption add_threads(const Command& command, Index& threads);
/// Throws UsageError for a number that can't be. Returns one per core for 0.
int checked_threads(Index threads);

}  // namespace tapehead
