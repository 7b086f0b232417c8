#pragma once
#include "task.hpp"

namespace tapehead {

/// Results of a model on the validation (held-out) examples.
struct Evaluation {
  double loss = 0;  ///< mean over all targets in nats, or the value of the custom loss
  std::string loss_name = "loss", unit = "nats per token";
  /// Loss in bits per byte if the targets are text; otherwise 0.
  double bits_per_byte = 0;
  /// Fraction of completions that greedy decoding gets entirely right, if the task has completions.
  double exact_match = 0;
  Index examples = 0;
  /// Registered metrics, and losses that layers add, by name.
  std::map<std::string, double> metrics;
  AnswerCurves curves;  ///< curves from the task, averaged over the examples

  // Accuracy of the most likely token at each target, from the same pass as the loss. A gpt uses
  // teacher forcing: it reads the correct tokens before each target.
  struct Count {
    Index targets = 0, right = 0;
    double share() const { return static_cast<double>(right) / static_cast<double>(targets); }
    void add(const Count& other) {
      targets += other.targets;
      right += other.right;
    }
  };
  std::vector<Count> positions;  ///< counts by position in the completion, from 0
  std::map<std::pair<int, int>, Index> confusions;  ///< counts by (correct token, predicted token)

  /// The examples of one length. Lengths don't count a separator,
  /// placeholders or an end token.
  struct OfLength {
    Index examples = 0, exact = 0;  ///< all, and those with an exact match
    Count tokens;
    double exact_match() const {
      return static_cast<double>(exact) / static_cast<double>(examples);
    }
    void add(const OfLength& other) {
      examples += other.examples;
      exact += other.exact;
      tokens.add(other.tokens);
    }
  };
  /// By source length if the task has completions, and by target length.
  std::map<Index, OfLength> by_source, by_target;

  /// Returns the counts, summed over all positions.
  Count all_positions() const {
    Count all;
    for (const Count& count : positions) all.add(count);
    return all;
  }
};

}  // namespace tapehead
