#pragma once
// What a model goes on from. There are three kinds of task: questions with answers, lines generated
// from one end token to the next, and texts without end.
#include "../../train/model/generate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tapehead {

struct Prompt {
  std::vector<int> tokens;                      ///< as it was given
  std::vector<int> begin;                       ///< what the model reads
  Index limit;                                  ///< tokens to generate, unless the user says so
  std::optional<std::vector<int>> wanted = {};  ///< the right answer, of a held-out example
};

bool generates_lines(const Task& task);

/// A question, or the beginning of a line or a text, which may be empty. Throws ValueError that
/// calls the prompt `name` where the model can't go on from it.
Prompt prompt_of(const TaskModel& model, const Task& task, const std::vector<int>& tokens,
                 const std::string& name);
/// The question of a held-out example.
Prompt held_out_prompt(const Task& task, Index number);

/// What was generated, without the token that ends a line, which is no part of it.
std::vector<int> without_end(const Task& task, std::vector<int> said);

}  // namespace tapehead
