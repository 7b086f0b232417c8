#pragma once
#include "readout.hpp"

namespace tapehead {

/// What a model would predict if its stream ended after some layer.
struct LensCell {
  int token = 0;           ///< the likeliest
  double probability = 0;  ///< its
  double right = 0;        ///< that of the right token; NaN where there is none
};
/// The logit lens (nostalgebraist, "Interpreting GPT: the logit lens", 2020): the model's last norm
/// and its head read the residual stream after the embedding and after each block. inputs and
/// targets are i32 (1, time), a target of -1 stands for none; the result is [layers + 1][time], and
/// its last row what the model predicts. Takes any norm.
std::vector<std::vector<LensCell>> logit_lens(const GPT& model, const Batch& batch);

/// A logit, or the difference of two, as the sum of what each part of the model adds to it.
struct Attribution {
  struct Term {
    std::string name;
    double value;
  };
  std::vector<Term> terms;
  double logit = 0;  ///< as the model itself computes it
  double sum() const;
};
/// Direct logit attribution (Elhage et al., "A Mathematical Framework for Transformer Circuits",
/// 2021) of the logit of `token` at a position, less that of `against` unless that is -1. The terms
/// are the token's embedding, its position's, each head through its columns of the output
/// projection, that projection's bias, each MLP and the last norm's bias; attention that doesn't
/// show its heads is one term. The last norm's scale stays what it is in this pass. Throws
/// UsageError for a norm that is none of the model's own.
Attribution attribute(const GPT& model, const Batch& batch, Index position, int token,
                      int against = -1);

}  // namespace tapehead
