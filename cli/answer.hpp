#pragma once
#include <tapehead/cli/terminal.hpp>
#include <tapehead/train/trainer.hpp>

namespace tapehead {

/// A question, what the model answers, and whether that is right: two lines. Wrong symbols are red,
/// or have a ^ under them where there is no colour.
std::string show_answer(const TaskModel& model, const Task& task, const Example& example,
                        SampleOptions options, const Terminal& terminal);
/// The likeliest symbol each time.
SampleOptions greedy();

}  // namespace tapehead
