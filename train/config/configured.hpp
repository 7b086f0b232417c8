#pragma once
// What a configuration comes to.
#include "../../optim/average.hpp"
#include "../../optim/optimizer.hpp"
#include "../../optim/schedule.hpp"
#include "registry.hpp"

namespace tapehead {

/// Completes and checks a configuration, reading no file: names, ranges, shards, what the task's
/// options are without saying. Throws UsageError that names the option.
TrainConfig checked(TrainConfig config, const Registry& registry);

/// The task that a configuration asks for. What it found in its files goes to task_options, so that
/// the configuration as it is then written makes the same task without them.
std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry);
std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& config, Module& model);
/// None where weights aren't averaged.
std::unique_ptr<WeightAverage> make_average(const TrainConfig& config, Module& model);
Schedule make_schedule(const TrainConfig& config);

}  // namespace tapehead
