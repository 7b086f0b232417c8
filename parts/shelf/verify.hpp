#pragma once
// A run, trained again to see whether it comes out the same.
#include "../../train/trainer.hpp"
#include "../compare/metrics.hpp"

namespace tapehead {

struct Verification {
  /// The digests of an evaluation.
  struct Evaluated {
    Index step;
    std::string recorded, again;
  };
  /// The digests of a step's weights: in the run's checkpoint, and now.
  struct Weights {
    Index step;
    std::string there, again;

    bool same() const { return there == again; }
  };

  std::string run;
  Index steps = 0;                                ///< that were compared
  std::vector<Evaluated> evaluations;             ///< of these
  std::vector<Weights> checkpoints;               ///< of these
  std::vector<Index> missing;                     ///< steps whose lines of metrics are gone
  std::string damaged;                            ///< the first checkpoint that can't be read
  Index first_step = -1;                          ///< the first that differs; -1: none
  std::vector<ComparedMetrics::Different> first;  ///< what differs there; A is what is recorded
  bool interrupted = false;

  bool agrees() const;
};

/// Who sees how training goes.
using MakeObserver = std::function<std::unique_ptr<TrainObserver>(const Task& task)>;

/// Trains a run again with its recorded configuration, in a temporary folder that is gone
/// afterwards, and compares each line of metrics except times, and the weights in each checkpoint,
/// up to step `steps`, or all where that is 0. `data` is another place of the file in --data;
/// empty: the recorded one. Ends at the first line that differs. Throws UsageError that says why
/// where this program, on this machine, with the files that are there, can't be expected to compute
/// the same: another version, other data, another processor for bf16; or where there is nothing to
/// compare.
Verification verify_run(const std::string& path, Index steps, const std::string& data,
                        const Registry& registry, const MakeObserver& make_observer,
                        const std::atomic<bool>& stop);

}  // namespace tapehead
