#pragma once
// Messages of `train` before the first step and after the last.
#include "../../train/plan.hpp"
#include "../../train/trainer.hpp"
#include "commands.hpp"

namespace tapehead {

/// Returns the model's size: `2 layers, 4 heads, width 64`, without heads if it has none.
std::string model_size(const TrainConfig& config, const Registry& registry);
/// Returns a summary of the run in one or two lines. 0 ranks: a single process.
std::string headline(const Plan& plan, int ranks, const Session& session);
/// Returns a warning if the warmup covers all steps; else an empty text.
std::string warmup_note(const TrainConfig& config, const Session& session);
/// Returns a note if an encoder predicts tokens in place, and its attention sees no later tokens;
/// else an empty text.
std::string causal_note(const Plan& plan, const Session& session);
/// Returns an estimate of time per step and memory if a step takes 10 s or more; else an empty
/// text. A speed of 0 is measured.
std::string slow_step_note(const Plan& plan, const Session& session, double flops_per_second = 0);
/// Returns the task's note on its data, as a line; usually empty.
std::string data_note(const Task& task, const Session& session);
/// Returns a note if many validation examples are repetitions; else an empty text.
std::string repetition_note(const Task& task, const Session& session);
/// Returns a line with the commands that show the run in `path` while it trains; empty without such
/// commands.
std::string follow_hint(const std::string& path, const Session& session);
/// Prints the result of the run in `path` and the commands that read it.
void print_outcome(const TrainOutcome& outcome, const Task& task, const TaskModel& model,
                   const std::string& path, const Session& session);

}  // namespace tapehead
