#pragma once
#include "heads.hpp"

namespace tapehead::zoo {

/// Attention without a softmax, whose cost is linear in the time (Katharopoulos et al.,
/// "Transformers are RNNs", arXiv 2006.16236, equations 9 to 12):
///   y_i = phi(q_i) S_i / phi(q_i) z_i, S_i = sum over j <= i of phi(k_j)^T v_j, z_i likewise of
///   phi(k_j)^T, with phi(x) = elu(x) + 1
/// Within a chunk of tokens the products of queries and keys are made; chunks before it are seen
/// through their S and z. Its cache is S and z, of one size whatever the time. There are no weights
/// to capture, nor to drop.
struct LinearAttention : Module {
  explicit LinearAttention(AttentionLayerOptions options);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    v("out", out);
  }

  static constexpr Index chunk = 64;  ///< tokens
  AttentionLayerOptions options;      // as `causal` gives them
  AttentionProjection projection;
  Linear out;  // heads d -> width
};

}  // namespace tapehead::zoo
