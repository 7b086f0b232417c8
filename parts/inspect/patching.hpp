#pragma once
// Activation patching: copies activations of one pass into another, to find which ones determine
// the prediction (Meng et al., "Locating and Editing Factual Associations in GPT"; Wang et al.,
// "Interpretability in the Wild").
#include "sites.hpp"

#include <functional>

namespace tapehead {

/// Two prompts with different correct completions, and the position that predicts them.
struct PatchPair {
  Batch clean, corrupted;    ///< one example each, with equal shapes
  Index position = 0;        ///< position of the logits; 0 if pooled
  int right = 0, wrong = 0;  ///< target tokens of the clean and the corrupted prompt
  Index source = 0;          ///< number of source tokens, for an encoder-decoder
};

/// The share of the logit difference that an activation of the clean pass restores in the corrupted
/// pass: 0 is none, 1 is all.
struct Patched {
  /// The residual stream before and after a block, a head's output, an MLP's output, or a head's
  /// attention weights.
  enum class Kind { stream, head, mlp, pattern };
  Kind kind;
  std::string name;            ///< embedding, block 0, head 0.1, mlp 0
  std::string module;          ///< its module, as in blocks.0.attention
  std::vector<double> shares;  ///< one per position; a single one for attention weights
  /// Estimates by attribution patching: the gradient of the logit difference in the corrupted pass
  /// times the difference of the activations (Nanda, "Attribution Patching").
  std::vector<double> estimates;
};
struct Patching {
  /// Logit difference of each pass: logit of the clean target minus logit of the corrupted target.
  double clean = 0, corrupted = 0;
  std::vector<Patched> parts;  ///< in the model's order
};

/// Patches each activation of the clean pass into the corrupted pass on all threads, and estimates
/// the same with one backward pass. `on_progress` receives the fraction done.
Patching patch(const TaskModel& model, const PatchPair& pair,
               const std::function<void(double fraction)>& on_progress = {});

/// Returns Pearson's correlation of two lists, ignoring pairs with NaN; NaN for fewer than three
/// pairs.
double correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tapehead
