#pragma once
// Initial weights of runs that didn't start from random weights.
#include "../../train/config/registry.hpp"
#include "../../train/runs/run_folder.hpp"

#include <optional>

namespace tapehead {

/// Weight hashes of step 0.
struct InitialDigests {
  std::string recorded, again;
};

/// Saves the weights of step 0 to the run `again`, for training from them. `origin` is their origin
/// (see origin_of_weights): compiled weights are compiled again, others are read from the run. Does
/// nothing if `origin` is empty, because training draws such weights. Returns the hashes of
/// compiled weights if the run still has them. Throws UsageError if the run has neither the weights
/// that it needs nor, with `last` = 0 trained steps, any to compare.
std::optional<InitialDigests> start_again(const RunFolder& folder, const std::string& origin,
                                          const TrainConfig& config, const Task& task,
                                          const Registry& registry, Index last,
                                          const RunFolder& again);

}  // namespace tapehead
