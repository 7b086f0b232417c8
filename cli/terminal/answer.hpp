#pragma once
// Answers to held-out examples, and how they are shown.
#include "../../train/trainer.hpp"
#include "terminal.hpp"

namespace tapehead {

std::vector<int> question_of(const Example& example);  ///< at least one token
std::vector<int> answer_of(const Example& example);    ///< the other tokens

/// The model's answers to the examples' questions, by greedy decoding.
std::vector<std::vector<int>> answers(const TaskModel& model, const Task& task,
                                      const std::vector<Example>& examples);
/// The most tokens that the answer to a held-out example may take.
Index answer_limit(const Task& task, const Example& example);
/// Options for greedy decoding.
SampleOptions greedy();

/// Questions, the model's answers, and whether they are right: two lines each. Wrong tokens are
/// red, or have a ^ under them without colour.
std::string show_answers(const TaskModel& model, const Task& task,
                         const std::vector<Example>& examples, const Terminal& terminal);
/// The same in parts: `  in   ...`, and a predicted answer compared with the right one.
std::string show_question(const Task& task, const std::vector<int>& question,
                          const Terminal& terminal);
std::string show_marked(const Task& task, const std::vector<int>& predicted,
                        const std::vector<int>& right, const Terminal& terminal);
/// At most `count` different held-out examples, from number `first` on, beginning again after the
/// last. Unless all are known to be right, the next one that the model gets wrong comes first.
std::vector<Example> telling_examples(const TaskModel& model, const Task& task, Index first,
                                      std::size_t count, bool all_right);

/// Held-out examples that are answered wrongly, and how many were looked at to find them.
struct Mistakes {
  struct Mistake {
    Index number;
    std::vector<int> question, predicted, right;
  };
  std::vector<Mistake> wrong;
  Index examined = 0;
};
/// The first `most` of them, of at most 1,000 examples.
Mistakes find_mistakes(const TaskModel& model, const Task& task, Index most);

/// A token by itself, even one that is a space or a newline: `␣`, `↵`.
std::string token_name(const Task& task, int token);

// ---- a question in which tokens are asked for where they stand, as of an encoder whose task has
// no answers

/// Whether a model predicts tokens in place, and goes on from nothing.
bool fills_in(const TaskModel& model, const Task& task);

/// The question of an example with the likeliest token in each place that is asked for, and with
/// the right one there.
struct Filled {
  std::vector<int> predicted, right;
};
Filled fill_in(const TaskModel& model, const Example& example);

}  // namespace tapehead
