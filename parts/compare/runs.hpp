#pragma once
// Compares two runs: options, metrics, weights, and the pass of one example through both models.
#include "../../train/trainer.hpp"
#include "../explain/pass.hpp"
#include "checkpoints.hpp"
#include "metrics.hpp"
#include "options.hpp"
#include "tapes.hpp"

#include <optional>

namespace tapehead {

/// One validation example's pass through the model of each run.
struct ComparedPasses {
  Index example = 0;
  bool own_examples_differ = false;  ///< A's and B's examples differ; both models read A's
  ExplainedPass a, b;
  bool same = false;  ///< whether all values are equal
};

struct ComparedRuns {
  std::string a, b;                      ///< paths of the run folders
  std::vector<DifferentOption> options;  ///< options that differ and affect the result
  ComparedMetrics metrics;
  std::vector<CheckpointPair> checkpoints;
  std::optional<CheckpointPair> at;  ///< pair of checkpoints whose weights are compared
  ComparedWeights weights;
  std::optional<ComparedPasses> passes;
  std::string why_no_passes;  ///< why `passes` is empty

  /// Returns whether options, metrics, the weights of the last checkpoints and, if compared, the
  /// passes are equal.
  bool same() const;
};

/// Compares two runs, with their weights at `step`. Without `step`, compares the weights at the
/// first common step where they differ, or else at the last. Throws FileError if a folder isn't a
/// run. Throws UsageError if the runs have no common checkpoint at `step`, or if A has no such
/// validation example.
ComparedRuns compare_runs(const std::string& a, const std::string& b, std::optional<Index> step,
                          Index example, const Registry& registry);

std::string to_text(const ComparedRuns& runs, int width);
Json to_json(const ComparedRuns& runs);

}  // namespace tapehead
