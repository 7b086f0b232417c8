#pragma once
// Two configurations.
#include "../../train/config/options.hpp"
#include "../../train/files/json.hpp"

#include <optional>

namespace tapehead {

/// An option with its value in each; no value where the task there has no such option.
struct DifferentOption {
  std::string name;
  std::optional<std::string> a, b;
};

/// Those that decide the result and differ: of two tasks all of either that do, and the tasks.
std::vector<DifferentOption> different_options(const TrainConfig& a, const TrainConfig& b,
                                               const Registry& registry);

/// A table of them.
std::string to_text(const std::vector<DifferentOption>& options, int width, int indent = 0);
Json to_json(const std::vector<DifferentOption>& options);

}  // namespace tapehead
