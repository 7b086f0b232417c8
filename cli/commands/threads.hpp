#pragma once
#include "../options/command.hpp"

namespace tapehead {

/// Adds the option --threads.
CommandOption add_threads(const Command& command, Index& threads);
/// Returns the number of threads; 0 gives one per core. Throws UsageError if it is out of range.
int checked_threads(Index threads);

}  // namespace tapehead
