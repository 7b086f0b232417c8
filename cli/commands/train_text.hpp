#pragma once
// What `train` says before the first step and after the last.
#include "../../train/plan.hpp"
#include "../../train/trainer.hpp"
#include "commands.hpp"

namespace tapehead {

/// Describes what is going to be trained, in a line or two. 0 ranks: one process.
std::string headline(const Plan& plan, int ranks, const Session& session);
/// A line where the learning rate rises over all steps; else empty.
std::string only_warmup(const TrainConfig& config, const Session& session);
/// A line with the time of a step and the memory of the run where a step takes 10 s or more; else
/// empty. A speed of 0 is measured.
std::string takes_long(const Plan& plan, const Session& session, double flops_per_second = 0);
/// A line where the held-out examples of a task with answers repeat, as those of a small space do;
/// else empty.
std::string repeats(const Task& task, const Session& session);
/// A line with the commands that show a run in `path` while it trains; empty where there is none.
std::string how_to_follow(const std::string& path, const Session& session);
/// Prints what came of the run in `path`, and the commands that read it.
void print_outcome(const TrainOutcome& outcome, const Task& task, const TaskModel& model,
                   const std::string& path, const Session& session);

}  // namespace tapehead
