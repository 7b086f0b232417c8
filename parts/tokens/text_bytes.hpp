#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// A text in tokens of bytes: `--tokens bytes`, bpe or gpt2.
std::unique_ptr<Task> text_of_bytes(const TaskOptions& options, HeldOut held_out);

/// The task `text`, which learns these too.
TaskEntry with_bytes(TaskEntry text);

}  // namespace tapehead
