#pragma once
// How the task `text` reads a file.
#include "../tasks/task.hpp"

namespace tapehead {

std::unique_ptr<Task> text_of_characters(const TaskOptions& options, HeldOut held_out);
std::unique_ptr<Task> text_of_bytes(const TaskOptions& options, HeldOut held_out);
std::unique_ptr<Task> text_of_ids(const TaskOptions& options, HeldOut held_out);

/// Whether the file of --data has ids: any but a .npy can be read as bytes.
bool has_ids(const TaskOptions& options);

}  // namespace tapehead
