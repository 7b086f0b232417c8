#pragma once
#include "readout.hpp"

namespace tapehead {

/// The prediction at one position if the residual stream ended after some layer.
struct LensCell {
  int token = 0;           ///< the most likely token
  double probability = 0;  ///< its probability
  double right = 0;        ///< probability of the target; NaN without a target
};
/// The logit lens (nostalgebraist, "Interpreting GPT: the logit lens", 2020): applies the model's
/// last norm and head to the residual stream after the embedding and after each block. The batch
/// has inputs and targets of i32 (1, time); a target of -1 means none. Returns [layers + 1][time];
/// the last row is the model's own prediction. Supports any norm.
std::vector<std::vector<LensCell>> logit_lens(const GPT& model, const Batch& batch);

/// A logit, or the difference of two logits, as a sum of contributions.
struct Attribution {
  struct Term {
    std::string name;
    double value;
  };
  std::vector<Term> terms;
  double logit = 0;  ///< the logit or difference from the model's forward pass
  double sum() const;
};
/// Direct logit attribution (Elhage et al., "A Mathematical Framework for Transformer Circuits",
/// 2021): decomposes the logit of `token` at a position, minus the logit of `against` unless that
/// is -1. The terms are the token and position embeddings, each head's output, the output
/// projection's bias, each MLP, and the last norm's bias. An attention layer that doesn't expose
/// its heads is one term. The last norm's scale is treated as constant. Throws UsageError for a
/// custom norm.
Attribution attribute(const GPT& model, const Batch& batch, Index position, int token,
                      int against = -1);

}  // namespace tapehead
