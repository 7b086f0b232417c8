#pragma once
#include "../data/evaluation.hpp"
#include "../files/json.hpp"

#include <optional>
#include <string>

namespace tapehead {

/// Returns whether `one` is better than `other`: higher exact match, then lower loss. For a task
/// without answers, only the loss counts.
bool is_better(const Evaluation& one, const Evaluation& other, bool has_answers);

/// The goal that `--until` sets.
struct Goal {
  bool exact_match =
      // true: exact match of at least `value`; false: validation loss of at most `value`
      false;
  double value = 0;

  /// Parses `exact-match=1` or `loss=1.92`; an empty text gives no goal. Throws UsageError for
  /// anything else.
  static std::optional<Goal> parse(const std::string& text);
  bool reached(const Evaluation& evaluation) const {
    return exact_match ? evaluation.exact_match >= value : evaluation.loss <= value;
  }
};

/// Returns whether a line of metrics.jsonl has an evaluation. Its loss may be non-finite.
bool has_evaluation(const Json& line);
/// Returns loss and exact match of a line of metrics.jsonl. Without an evaluation, the loss is NaN,
/// which reaches no goal.
Evaluation evaluation_in(const Json& line);
/// Returns whether the evaluation ended training early, by --until or --patience.
bool ended_early(const Json& line, const std::string& until);

}  // namespace tapehead
