#pragma once
// Two runs: their options, their metrics, their weights, and the way of an example through both.
#include "../../train/trainer.hpp"
#include "../explain/pass.hpp"
#include "checkpoints.hpp"
#include "metrics.hpp"
#include "options.hpp"
#include "tapes.hpp"

#include <optional>

namespace tapehead {

/// The pass of one held-out example through the model of each run.
struct ComparedPasses {
  Index example = 0;
  bool own_examples_differ = false;  ///< B's of that number is another: both read A's
  ExplainedPass a, b;
  bool same = false;  ///< all values
};

struct ComparedRuns {
  std::string a, b;                      ///< folders
  std::vector<DifferentOption> options;  ///< that decide the result
  ComparedMetrics metrics;
  std::vector<CheckpointPair> checkpoints;
  std::optional<CheckpointPair> at;  ///< the one whose weights and passes are compared
  ComparedWeights weights;
  std::optional<ComparedPasses> passes;
  std::string why_no_passes;  ///< why there are none

  /// The options, all metrics, the weights of the last checkpoints, and the passes, if any.
  bool same() const;
};

/// Compares the checkpoints of `step`; where that is empty, of the first step at which the weights
/// differ, or else of the last. Throws FileError where a folder is no run, and UsageError for a
/// step that they haven't both kept and for an example that A doesn't hold out.
ComparedRuns compare_runs(const std::string& a, const std::string& b, std::optional<Index> step,
                          Index example, const Registry& registry);

std::string to_text(const ComparedRuns& runs, int width);
Json to_json(const ComparedRuns& runs);

}  // namespace tapehead
