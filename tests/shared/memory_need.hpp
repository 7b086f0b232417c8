#pragma once
// What is predicted of the memory that a training takes, beside what it then takes.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// A task's recipe with these options.
TrainConfig config_of(const std::string& task, const std::string& options);
/// The recipe and the presets of a task, to the byte, with these settings beside them.
void expect_default_memory_exact(const std::string& task, const Settings& beside = {});
/// Its weights, the optimizer's state and the data.
void expect_memory_exact(const TrainConfig& config);
/// All of it together at a step.
void expect_memory_within_10_percent(const TrainConfig& config);

}  // namespace tapehead
