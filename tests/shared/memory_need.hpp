#pragma once
// Compares the memory estimate of training with the actual use.
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Returns a task's default configuration with these options.
TrainConfig config_of(const std::string& task, const std::string& options);
/// Checks the default configuration and the presets of a task with these additional settings, to
/// the byte.
void expect_default_memory_exact(const std::string& task, const Settings& beside = {});
/// Checks weights, optimizer state and data to the byte.
void expect_memory_exact(const TrainConfig& config);
/// Checks the total of a step within 10 %.
void expect_memory_within_10_percent(const TrainConfig& config);

}  // namespace tapehead
