#include "threads.hpp"
#include "../../core/error.hpp"
#include "../../core/runtime/processors.hpp"

namespace tapehead {

CommandOption add_threads(const Command& command, Index& threads) {
  return command.option("--threads", threads, "number of threads (0 = one per core)")
      .shown_default("0");
}

int checked_threads(Index threads) {
  if (threads < 0 || threads > 1024)
    throw UsageError("--threads must be from 0 to 1024, not {}", threads);
  return threads > 0 ? static_cast<int>(threads) : processors();
}

}  // namespace tapehead
