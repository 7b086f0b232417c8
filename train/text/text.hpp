#pragma once
// The variants of the task `text`, by type of tokens.
#include "../data/task.hpp"

namespace tapehead {

std::unique_ptr<Task> make_character_text(const TaskOptions& options, HeldOut held_out);
std::unique_ptr<Task> make_id_text(const TaskOptions& options, HeldOut held_out);

/// Returns whether --data names a file of token ids.
bool has_ids(const TaskOptions& options);
/// Throws UsageError if only one of --data and --held-out has token ids.
void require_same_format(const TaskOptions& options);
/// Throws UsageError if --characters is given but tokens aren't characters.
void refuse_characters(const TaskOptions& options);

}  // namespace tapehead
