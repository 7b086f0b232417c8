#pragma once
// Trains a run again and compares the results.
#include "../../cli/commands/commands.hpp"
#include "../compare/metrics.hpp"

#include <atomic>

namespace tapehead {

/// A step's recorded weight hash, and its weight hash when trained again.
struct Digests {
  Index step;
  std::string recorded, again;

  bool same() const { return recorded == again; }
};

struct Verification {
  std::string run;
  std::vector<Json> sessions;        ///< see read_sessions
  std::string origin;                ///< see origin_of_weights
  Index steps = 0;                   ///< number of compared steps
  std::vector<Digests> evaluations;  ///< weight hashes at the compared evaluations
  std::vector<Digests> checkpoints;  ///< weight hashes of the compared checkpoints
  std::vector<Index> missing;        ///< steps that have no line in the run's metrics.jsonl
  std::string damaged;               ///< error message for the first unreadable checkpoint
  Index first_step = -1;             ///< first step whose line of metrics differs, or -1
  std::vector<ComparedMetrics::Different>
      first;  ///< differences at first_step; A is the recorded value
  bool interrupted = false;

  bool agrees() const {
    return first_step < 0 && !interrupted && missing.empty() && damaged.empty() &&
           all_of(checkpoints, [](const Digests& each) { return each.same(); });
  }
};

struct VerifyArguments {
  std::string run, data;  ///< `data` is the path of the training data, if it has moved
  Index steps = 0;        ///< number of steps to compare; 0: all
  bool json = false;
};
/// Trains a run again with its recorded configuration, in a temporary folder. Compares each line of
/// metrics, except times, and the weights of each checkpoint up to step `steps`; stops at the first
/// difference. Throws UsageError if the run can't be reproduced, as with other numerics or changed
/// data, or if there is nothing to compare.
Verification verify_run(const VerifyArguments& arguments, const Session& session,
                        const std::atomic<bool>& stop);

}  // namespace tapehead
