#pragma once
#include "readout.hpp"

namespace tapehead {

/// What a head does, as far as it reads single tokens from the embedding and speaks to the head of
/// the model directly (Elhage et al., "A Mathematical Framework for Transformer Circuits", 2021).
struct HeadCircuits {
  /// The score of each token as a query with each as a key, (tokens, tokens):
  ///   QK = n(E) W_q^T W_k n(E)^T / sqrt(d), with biases, and with norms, scales and temperature of
  /// the layer's own; n is the norm before the attention. It is the model's score at distance 0 in
  /// the first layer where no position is added to the embedding, without what relative positions
  /// add to scores; elsewhere the stream has more than an embedding, which n and W see too.
  Tensor qk;
  /// What attending to a token alone adds to each token's logit, (attended, predicted), but for the
  /// division by the last norm's scale, which depends on the rest of the stream:
  ///   OV = n(E) W_v^T W_o^T U^T, with the bias of values, and the last norm's gain in U.
  Tensor ov;
};
/// `tokens` are those of rows and columns. Throws UsageError for attention without queries and keys
/// of heads, or a layer or head that isn't there.
HeadCircuits head_circuits(const GPT& model, Index layer, Index head,
                           const std::vector<int>& tokens);

/// How much of what a head reads was written by a head of an earlier layer, of the same paper:
///   Q  |W_QK^T W_OV| / (|W_QK| |W_OV|), K  |W_QK W_OV| / ..., V  |W_OV' W_OV| / (|W_OV'| |W_OV|)
/// in Frobenius norms, where W_QK = W_q^T W_k and W_OV = W_o W_v are maps of the stream, and W_OV
/// is the earlier head's. Gain and centring of the norm that the reading head has before it are
/// within its matrices, which is exact; the norm's scale cancels.
struct Composition {
  Index layers = 0, heads = 0;
  /// [layers heads][layers heads], by the reading and the writing head's number layer heads + head;
  /// NaN unless the writing head is in an earlier layer.
  std::vector<std::vector<double>> q, k, v;
  /// The root mean square of each score if the one matrix were turned at random against the other:
  /// 1 / sqrt(width).
  double chance = 0;
};
Composition composition(const GPT& model);

}  // namespace tapehead
