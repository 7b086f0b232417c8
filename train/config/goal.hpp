#pragma once
#include "../evaluate.hpp"

#include <optional>
#include <string>

namespace tapehead {

/// Whether an evaluation is better than another: more answers wholly right, then the lower loss;
/// of a task without answers the loss alone.
bool is_better(const Evaluation& one, const Evaluation& other, bool has_answers);

/// What `--until` asks of an evaluation.
struct Goal {
  bool accuracy = false;  ///< exact match of at least `value`; else a held-out loss of at most that
  double value = 0;

  /// `accuracy=1` or `loss=1.92`; nothing for an empty text. Throws UsageError for anything else.
  static std::optional<Goal> parse(const std::string& text);
  bool reached(const Evaluation& evaluation) const {
    return accuracy ? evaluation.exact_match >= value : evaluation.loss <= value;
  }
};

}  // namespace tapehead
