#pragma once
// Activation patching: copies activations of one pass into another, to find out which ones
// determine the prediction (Meng et al., "Locating and Editing Factual Associations in GPT"; Wang
// et al., "Interpretability in the Wild").
#include "sites.hpp"

#include <functional>

namespace tapehead {

/// Two prompts with different correct completions, and the position whose logits predict the first
/// different token.
struct PatchPair {
  Batch clean, corrupted;    ///< one example each, with equal shapes
  Index position = 0;        ///< position of these logits; 0 for a model that pools all positions
  int right = 0, wrong = 0;  ///< the token that differs: in the clean and in the corrupted one
  Index source = 0;          ///< number of source tokens of an encoder-decoder
};

/// A component, and the share of the logit difference that its clean activation restores in the
/// corrupted pass: 0 is none, 1 is all.
struct Patched {
  /// The residual stream at the embedding or after a block, a head's output, an MLP's output, or a
  /// head's attention weights.
  enum class Kind { stream, head, mlp, pattern };
  Kind kind;
  std::string name;            ///< embedding, block 0, head 0.1, mlp 0
  std::string module;          ///< path of the component's module, such as blocks.0.attention
  std::vector<double> shares;  ///< one per position; a single one for all attention weights
  /// Estimates of `shares` by attribution patching: the gradient of the logit difference in the
  /// corrupted pass times the difference of the activations (Nanda, "Attribution Patching").
  std::vector<double> estimates;
};
struct Patching {
  /// Logit difference of each pass: logit of the clean target minus logit of the corrupted target.
  double clean = 0, corrupted = 0;
  std::vector<Patched> parts;  ///< components in the model's order
};

/// Patches each component's clean activation into the corrupted pass, on all threads, and estimates
/// the same shares with one backward pass. Calls `on_progress` with the fraction done.
Patching patch(const TaskModel& model, const PatchPair& pair,
               const std::function<void(double fraction)>& on_progress = {});

/// Returns Pearson's correlation of two lists, without the pairs that contain NaN; NaN if fewer
/// than three pairs remain.
double correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tapehead
