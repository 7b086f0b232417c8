#pragma once
// Activations of one pass put into another: which of them carry the answer (Meng et al., "Locating
// and Editing Factual Associations in GPT"; Wang et al., "Interpretability in the Wild").
#include "sites.hpp"

#include <functional>

namespace tapehead {

/// Two prompts with different answers, as a model reads them, and where it gives the answers.
struct PatchPair {
  Batch clean, corrupted;    ///< of one example each, of equal shape
  Index position = 0;        ///< of the logits; of pooled ones 0
  int right = 0, wrong = 0;  ///< the tokens that answer the clean and the corrupted prompt
  Index source = 0;          ///< the tokens of the source, for an encoder-decoder
};

/// How much of the answer comes back with an activation of the clean pass in the corrupted one:
/// 0 is none, 1 all, of the difference between the logits of the two answers.
struct Patched {
  /// The residual stream before and after a block, a head's output, an MLP's, and a head's weights.
  enum class Kind { stream, head, mlp, pattern };
  Kind kind;
  std::string name;            ///< embedding, block 0, head 0.1, mlp 0
  std::string module;          ///< where it is: blocks.0.attention
  std::vector<double> shares;  ///< by position; of a head's weights a single one
  /// What attribution patching makes of them: the gradient of the logits' difference in the
  /// corrupted pass, times the difference of the activations (Nanda, "Attribution Patching").
  std::vector<double> estimates;
};
struct Patching {
  double clean = 0, corrupted = 0;  ///< logit of the right answer minus that of the wrong one
  std::vector<Patched> parts;       ///< in the order in which the model runs them
};

/// Puts each activation of the clean pass into the corrupted one, on all threads, and estimates the
/// same by one backward pass. `on_progress` is called with the fraction done.
Patching patch(const TaskModel& model, const PatchPair& pair,
               const std::function<void(double fraction)>& on_progress = {});

/// Pearson's correlation of two lists of numbers, of the pairs without NaN; NaN where there is
/// none.
double correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tapehead
