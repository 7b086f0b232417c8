#pragma once
// How the task `text` reads a file.
#include "../data/task.hpp"

namespace tapehead {

std::unique_ptr<Task> make_character_text(const TaskOptions& options, HeldOut held_out);
std::unique_ptr<Task> make_id_text(const TaskOptions& options, HeldOut held_out);

/// Whether the file of --data is named as one of ids.
bool has_ids(const TaskOptions& options);
/// Throws UsageError where one of --data and --held-out is a text, and the other has ids.
void require_same_format(const TaskOptions& options);
/// Throws UsageError for --characters, of tokens that are none.
void refuse_characters(const TaskOptions& options);

}  // namespace tapehead
