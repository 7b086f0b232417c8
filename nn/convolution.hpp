#pragma once
#include "module.hpp"

namespace tapehead {

/// Adds to each number of a channel a weighted sum of those before it in time:
///   y_t = x_t + w_1 x_{t-1} + ... + w_reach x_{t-reach},
/// where each channel has weights of its own, which start at 0 (Allen-Zhu, "Physics of Language
/// Models: Part 4.1, Architecture Design and the Magic of Canon Layers", 2025).
struct CausalConvolution : Module {
  CausalConvolution(Index width, Index reach);  ///< throws ValueError for a reach below 1
  /// (batch, time, width) -> same. With a cache in the pass, x continues what it has seen.
  Tensor forward(const Tensor& x, Pass& pass) const override;
  void visit(Visitor& v) override { v("weight", weight); }

  Parameter weight;  // (reach, width)
};

}  // namespace tapehead
