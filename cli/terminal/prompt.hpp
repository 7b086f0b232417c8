#pragma once
// Prompts. There are three kinds of task: prompts with answers, lines generated from one end token
// to the next, and unlimited text.
#include "../../train/model/generate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tapehead {

struct Prompt {
  std::vector<int> tokens;                      ///< the prompt's tokens, as given
  std::vector<int> begin;                       ///< the model's input
  Index limit;                                  ///< default number of tokens to generate
  std::optional<std::vector<int>> wanted = {};  ///< target answer of a validation example
};

bool generates_lines(const Task& task);

/// Makes a prompt from tokens: a task's prompt, or the beginning of a line or text, which may be
/// empty. Throws ValueError that calls the prompt `name` if the model can't continue it.
Prompt prompt_of(const TaskModel& model, const Task& task, const std::vector<int>& tokens,
                 const std::string& name);
/// Returns the prompt of a validation example.
Prompt held_out_prompt(const Task& task, Index number);

/// Returns generated tokens without the end token of a line.
std::vector<int> without_end(const Task& task, std::vector<int> said);

}  // namespace tapehead
