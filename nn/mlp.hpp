#pragma once
#include "layers.hpp"

namespace tapehead {

/// What stands between the two layers of an MLP. gelu is its tanh form, and
/// gelu_erf the exact one; relu2 the square of relu
/// (So et al., "Primer"); swiglu multiplies by silu of a second first layer, the gate (Shazeer,
/// "GLU Variants Improve Transformer").
enum class Activation { gelu, gelu_erf, relu, relu2, swiglu };

/// width -> hidden -> width.
struct MLP : Module {
  MLP(Index width, Index hidden, Init in_init = Init::normal(0.02),
      Init out_init = Init::normal(0.02), Activation activation = Activation::gelu,
      bool biases = true);
  /// Four times the width; swiglu's is two thirds of that, so that it has as many parameters with
  /// its third layer.
  static Index usual_hidden(Index width, Activation activation);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (..., width) -> same
  void visit(Visitor& v) override {
    v("gate", gate);
    v("in", in);
    v("out", out);
  }

  Activation activation;
  std::optional<Linear> gate;
  Linear in, out;

 private:
  Tensor activate(const Tensor& x, const Tensor& input, Pass& pass) const;
};

}  // namespace tapehead
