#pragma once
// The model's answers to validation examples, and their display.
#include "../../train/trainer.hpp"
#include "terminal.hpp"

namespace tapehead {

std::vector<int> question_of(const Example& example);  ///< at least one token
std::vector<int> answer_of(const Example& example);    ///< the tokens after the prompt

/// Returns the model's answers to the examples' prompts, by greedy decoding.
std::vector<std::vector<int>> answers(const TaskModel& model, const Task& task,
                                      const std::vector<Example>& examples);
/// Returns the length limit of the answer to a validation example, in tokens.
Index answer_limit(const Task& task, const Example& example);
/// Returns options for greedy decoding.
SampleOptions greedy();

/// Shows prompts, the model's answers, and whether they are right, in two lines each. Wrong tokens
/// are red, or marked by ^ without colour.
std::string show_answers(const TaskModel& model, const Task& task,
                         const std::vector<Example>& examples, const Terminal& terminal);
/// Format the two lines of an example separately. The first is the prompt, `  in   ...`; the second
/// compares the predicted answer with the target.
std::string show_question(const Task& task, const std::vector<int>& question,
                          const Terminal& terminal);
std::string show_marked(const Task& task, const std::vector<int>& predicted,
                        const std::vector<int>& right, const Terminal& terminal);
/// Returns at most `count` different validation examples, from number `first` on, cyclically. The
/// next wrongly answered example comes first, unless all are right.
std::vector<Example> informative_examples(const TaskModel& model, const Task& task, Index first,
                                          std::size_t count, bool all_right);

/// Wrongly answered validation examples, and the number of examples searched.
struct Mistakes {
  struct Mistake {
    Index number;
    std::vector<int> question, predicted, right;
  };
  std::vector<Mistake> wrong;
  Index examined = 0;
};
/// Returns the first `most` wrongly answered validation examples among at most 1,000 examples.
Mistakes find_mistakes(const TaskModel& model, const Task& task, Index most);

/// Returns a visible form of a token, also of a space or newline: `␣`, `↵`.
std::string token_name(const Task& task, int token);

// ---- fill-in prompts: an encoder predicts masked tokens in place

/// Returns whether a model predicts tokens in place and doesn't generate.
bool fills_in(const TaskModel& model, const Task& task);

/// The predicted tokens of an example, with the prompt's other tokens, and the target tokens.
struct Filled {
  std::vector<int> predicted, right;
};
Filled fill_in(const TaskModel& model, const Example& example);

}  // namespace tapehead
