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

/// The pass of one validation example through each run's model.
struct ComparedPasses {
  Index example = 0;
  bool own_examples_differ = false;  ///< B's example with this number differs; both models read A's
  ExplainedPass a, b;
  bool same = false;  ///< all values are equal
};

struct ComparedRuns {
  std::string a, b;                      ///< folders
  std::vector<DifferentOption> options;  ///< that affect the result and differ
  ComparedMetrics metrics;
  std::vector<CheckpointPair> checkpoints;
  std::optional<CheckpointPair> at;  ///< the pair whose weights are compared
  ComparedWeights weights;
  std::optional<ComparedPasses> passes;
  std::string why_no_passes;  ///< why `passes` is empty

  /// Returns whether options, metrics, the last checkpoints' weights and the passes, if any, are
  /// equal.
  bool same() const;
};

/// Compares the checkpoints at `step`; without it, at the first step where the weights differ, or
/// else the last ones. Throws FileError if a folder isn't a run, and UsageError if the runs have no
/// common checkpoint at `step` or A has no such validation example.
ComparedRuns compare_runs(const std::string& a, const std::string& b, std::optional<Index> step,
                          Index example, const Registry& registry);

std::string to_text(const ComparedRuns& runs, int width);
Json to_json(const ComparedRuns& runs);

}  // namespace tapehead
