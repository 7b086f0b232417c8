#pragma once
#include "near_and_first.hpp"

namespace tapehead::zoo {

/// Attention to a window of near keys and to the first tokens, on which heads rest that look for
/// nothing (Xiao et al., "Efficient Streaming Language Models with Attention Sinks", arXiv
/// 2309.17453). Its cost is linear in the time, and its cache holds sinks + window - 1 tokens at
/// most. The parameters and their names are those of MultiHeadAttention, so that it can run with
/// weights that were trained without a window.
struct Sinks : Module {
  /// Positions are rotary, or act elsewhere; throws ValueError for others. A window of 0: all keys.
  explicit Sinks(AttentionLayerOptions options, Index sinks = 4);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    projection.visit(v);
    if (positions) positions->visit(v);
    v("out", out);
  }

  AttentionLayerOptions options;  // as `causal` gives them
  NearAndFirst seen;
  AttentionProjection projection;
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear out;                                 // heads d -> width
};

}  // namespace tapehead::zoo
