#pragma once
#include "../data/task.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

/// A source and its target.
struct SourceTarget {
  std::string source, target;
};

/// Computed training examples for the task `pairs`.
struct PairSource {
  /// Draws training example `number` of a step. The result depends only on the arguments. `attempt`
  /// counts the draws rejected because their sources are in the validation set.
  std::function<SourceTarget(std::uint64_t seed, Index step, Index number, Index attempt)> draw;
  /// Examples that determine the vocabulary and the lengths, unless options do.
  std::vector<SourceTarget> sample = {};
};

/// Makes the task `pairs` with computed training examples, for make_plan. Of the options,
/// `function` names the source, and `held-out` is the file of validation examples. Throws
/// UsageError for invalid options, and FileError for the file. The task throws UsageError for drawn
/// examples that don't suit the vocabulary or the lengths.
std::unique_ptr<Task> make_drawn_pairs(const TaskOptions& options, PairSource source);

/// Returns whether pairs with this source are for validation (held-out), by a hash of the source.
bool is_validation_source(std::string_view source);

}  // namespace tapehead
