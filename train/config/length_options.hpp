#pragma once
#include "task_entry.hpp"

namespace tapehead {

/// Returns the task with the options --lengths, if it has a length option and needs no file per
/// length, and --index-hints, if it has marks for them.
TaskEntry with_length_options(TaskEntry entry);

}  // namespace tapehead
