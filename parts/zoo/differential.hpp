#pragma once
#include "heads.hpp"

namespace tapehead::zoo {

/// Differential attention (Ye et al., "Differential Transformer", arXiv 2410.05258). Each head has
/// two maps of attention, of half its width, over the same values; what both see is noise, and is
/// subtracted:
///   y_h = (softmax(q1 k1^T / sqrt(d)) - lambda softmax(q2 k2^T / sqrt(d))) v, v of width 2d
///   lambda = exp(l_q1 . l_k1) - exp(l_q2 . l_k2) + start, one for the layer
/// and y_h, RMS-normalised and multiplied by 1 - start, goes through W_o.
struct Differential : Module {
  /// start: lambda's first value; the paper's is 0.8 - 0.6 exp(-0.3 l) in layer l, and 0.8 does as
  /// well. Throws ValueError unless 2 heads divide the width.
  explicit Differential(AttentionLayerOptions options, double start = 0.8);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    if (positions) positions->visit(v);
    v("lambda_q1", lambda_q1);
    v("lambda_k1", lambda_k1);
    v("lambda_q2", lambda_q2);
    v("lambda_k2", lambda_k2);
    v("norm", norm);
    v("out", out);
  }
  Tensor lambda() const;  ///< ()

  AttentionLayerOptions options;              // as `causal` gives them: d wide, values 2d
  AttentionProjection projection;             // queries of all first maps, then of all second ones
  std::unique_ptr<PositionScheme> positions;  // null for none
  Parameter lambda_q1, lambda_k1, lambda_q2, lambda_k2;  // (d)
  RMSNorm norm;                                          // over 2d
  Linear out;                                            // heads 2d -> width
  double start;
};

}  // namespace tapehead::zoo
