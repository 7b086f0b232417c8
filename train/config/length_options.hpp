#pragma once
#include "task_entry.hpp"

namespace tapehead {

/// Adds options to a task: --lengths, if it has a length option and no data file, and
/// --index-hints, if it has `hint_marks`.
TaskEntry with_length_options(TaskEntry entry);

/// Returns the value of --lengths; empty if the examples have one length.
std::string lengths_in(const TaskOptions& options);

}  // namespace tapehead
