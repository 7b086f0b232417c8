#pragma once
#include "../data/evaluation.hpp"
#include "../files/json.hpp"

#include <optional>
#include <string>

namespace tapehead {

/// Whether an evaluation is better than another: higher exact match, then lower loss; for a task
/// without answers only the loss.
bool is_better(const Evaluation& one, const Evaluation& other, bool has_answers);

/// The goal of `--until`.
struct Goal {
  bool exact_match =
      false;  ///< exact match of at least `value`; else a held-out loss of at most that
  double value = 0;

  /// Parses `exact-match=1` or `loss=1.92`; an empty text gives no goal. Throws UsageError for
  /// anything else.
  static std::optional<Goal> parse(const std::string& text);
  bool reached(const Evaluation& evaluation) const {
    return exact_match ? evaluation.exact_match >= value : evaluation.loss <= value;
  }
};

/// Whether a line of metrics.jsonl has an evaluation, whose loss may be non-finite.
bool has_evaluation(const Json& line);
/// Loss and exact match of the evaluation in a line of metrics.jsonl; where it has none, the loss
/// is NaN, which reaches no goal.
Evaluation evaluation_in(const Json& line);
/// Whether that evaluation ended training before its last step: by --until, or by --patience.
bool ended_early(const Json& line, const std::string& until);

}  // namespace tapehead
