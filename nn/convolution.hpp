#pragma once
#include "module.hpp"

namespace tapehead {

struct ModelOptions;

/// A causal depthwise convolution with a residual connection:
///   y_t = x_t + w_1 x_{t-1} + ... + w_reach x_{t-reach}.
/// Each channel has separate weights, which start at 0 (Allen-Zhu, "Physics of Language Models:
/// Part 4.1, Architecture Design and the Magic of Canon Layers", 2025).
struct CausalConvolution : Module {
  CausalConvolution(Index width, Index reach);  ///< throws ValueError for a reach below 1
  /// Maps (batch, time, width) to the same shape. With a cache in the pass, x continues the cached
  /// sequence.
  Tensor forward(const Tensor& x, Pass& pass) const override;
  void visit(Visitor& v) override { v("weight", weight); }

  Parameter weight;  // (reach, width)
};

/// Makes the convolution of a branch, or null if the options have none.
std::unique_ptr<Module> make_convolution(const ModelOptions& options);

}  // namespace tapehead
