#pragma once
// Evaluation of a run on examples of other lengths.
#include "../../train/evaluate.hpp"
#include "../../train/watch/statistics.hpp"
#include "load_run.hpp"

namespace tapehead {

/// The lengths on which a run was trained.
struct TrainedLengths {
  std::string option;          ///< the task's length option: length, digits, pairs
  std::vector<Index> lengths;  ///< in ascending order
  std::string text;            ///< `length 16` or `lengths 1..20`
};
/// Returns the lengths of a run's training examples. Throws UsageError, which begins with `given`,
/// if the task has no length option.
TrainedLengths trained_lengths(const TrainConfig& config, const Registry& registry,
                               const std::string& given);

/// A run's task with examples of one length in the format of its training, and a model for them.
struct AtLength {
  std::unique_ptr<Task> task;
  std::unique_ptr<TaskModel> model;  ///< null: the run's own
};
/// Throws UsageError, which begins with `given`, if the task or the model can't have this length.
AtLength at_length(const LoadedRun& run, Index length, const Registry& registry,
                   const std::string& given);

/// Returns why a run's model can't complete prompts at `others`, such as `length 24`; empty if it
/// may.
std::string length_note(const LoadedRun& run, const TrainedLengths& trained,
                        const std::string& others);

/// Returns the 95 % confidence interval of an exact match that was measured on some examples.
Interval exact_match_interval(double exact_match, Index examples);

/// The results at one length.
struct LengthResult {
  Index length = 0;
  Evaluation evaluation;
};
/// Evaluates a run at each of `lengths`, on at most `examples` validation examples each. Throws
/// UsageError as at_length does, before any evaluation.
std::vector<LengthResult> evaluate_lengths(
    const LoadedRun& run, const std::vector<Index>& lengths, Index examples,
    const Registry& registry, const std::string& given,
    const std::function<void(double fraction)>& on_progress = {});

}  // namespace tapehead
