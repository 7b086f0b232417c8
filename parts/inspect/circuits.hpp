#pragma once
#include "readout.hpp"

namespace tapehead {

/// The QK and OV circuits of a head that reads single token embeddings and writes directly to the
/// unembedding (Elhage et al., "A Mathematical Framework for Transformer Circuits", 2021).
struct HeadCircuits {
  /// Attention scores of each token as a query with each token as a key, (tokens, tokens):
  ///   QK = n(E) W_q^T W_k n(E)^T / sqrt(d)
  /// where E holds the tokens' embeddings and n is the norm before the attention. Biases and the
  /// layer's own norms, scales and temperature are included. In the first layer of a model without
  /// added positions, these are the model's scores at distance 0, without the contribution of
  /// relative positions. In other layers, the residual stream holds more than embeddings, so the
  /// scores are approximate.
  Tensor qk;
  /// The amount that attending to one token adds to each token's logit, (attended, predicted):
  ///   OV = n(E) W_v^T W_o^T U^T
  /// where W_v has its bias and the unembedding U includes the last norm's gain. OV omits the
  /// division by the last norm's scale, which depends on the rest of the stream.
  Tensor ov;
};
/// Computes a head's circuits for these tokens. Throws UsageError if the attention isn't standard,
/// or the layer or head doesn't exist.
HeadCircuits head_circuits(const GPT& model, Index layer, Index head,
                           const std::vector<int>& tokens);

/// Composition scores (same paper): how much of a head's input was written by a head of an earlier
/// layer.
///   Q: |W_QK^T W_OV| / (|W_QK| |W_OV|), K: |W_QK W_OV| / (|W_QK| |W_OV|),
///   V: |W_OV' W_OV| / (|W_OV'| |W_OV|)
/// in Frobenius norms. W_QK = W_q^T W_k and W_OV = W_o W_v map the residual stream, and W_OV
/// belongs to the earlier head. The reading head's matrices include the gain and centring of its
/// norm, which is exact; the norm's scale cancels.
struct Composition {
  Index layers = 0, heads = 0;
  /// Indexed by the reading head, then by the writing head. A head's index is layer * heads + head.
  /// NaN unless the writing head is in an earlier layer.
  std::vector<std::vector<double>> q, k, v;
  /// The expected root mean square of each score for matrices in random orientation:
  /// 1 / sqrt(width).
  double chance = 0;
};
/// Computes the composition scores of all heads.
Composition composition(const GPT& model);

}  // namespace tapehead
