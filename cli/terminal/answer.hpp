#pragma once
#include "../../train/trainer.hpp"
#include "terminal.hpp"

namespace tapehead {

/// Questions, what the model answers, and whether that is right: two lines each. Wrong symbols are
/// red, or have a ^ under them where there is no colour.
std::string show_answers(const TaskModel& model, const Task& task,
                         const std::vector<Example>& examples, const Terminal& terminal);
/// The same in parts: `  in   ...`, and an answer beside the one that is wanted.
std::string show_question(const Task& task, const std::vector<int>& question,
                          const Terminal& terminal);
std::string show_marked(const Task& task, const std::vector<int>& said,
                        const std::vector<int>& wanted, const Terminal& terminal);
/// So many held-out examples that differ, or as many as there are: the next ones from number
/// `first` on, the first again after the last. Unless all are right, the first of them is the next
/// that the model gets wrong.
std::vector<Example> telling_examples(const TaskModel& model, const Task& task, Index first,
                                      std::size_t count, bool all_right);
/// The most symbols that the answer to a held-out example may take.
Index answer_limit(const Task& task, const Example& example);
/// The likeliest symbol each time.
SampleOptions greedy();

/// A symbol by itself, also one that is a space or a new line: `␣`, `↵`.
std::string symbol_name(const Task& task, int token);

}  // namespace tapehead
