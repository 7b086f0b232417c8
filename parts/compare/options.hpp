#pragma once
// Compares two configurations.
#include "../../train/config/options.hpp"
#include "../../train/files/json.hpp"

#include <optional>

namespace tapehead {

/// An option and its value in each configuration. A value is missing if the configuration's task
/// has no such option.
struct DifferentOption {
  std::string name;
  std::optional<std::string> a, b;
};

/// Returns the options that differ and affect the result. If the tasks differ, includes the task
/// and all task options that affect the result.
std::vector<DifferentOption> different_options(const TrainConfig& a, const TrainConfig& b,
                                               const Registry& registry);

/// Formats a table of the options.
std::string to_text(const std::vector<DifferentOption>& options, int width, int indent = 0);
Json to_json(const std::vector<DifferentOption>& options);

}  // namespace tapehead
