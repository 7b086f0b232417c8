#pragma once
#include "layers.hpp"

namespace tapehead {

/// What stands between the two layers of an MLP. gelu is its tanh form, and
/// gelu_erf the exact one; relu2 the square of relu
/// (So et al., "Primer"); swiglu multiplies by silu of a second first layer, the gate (Shazeer,
/// "GLU Variants Improve Transformer").
enum class Activation { gelu, gelu_erf, relu, relu2, swiglu };

/// width -> hidden -> width. swiglu has two thirds of `hidden`, and so as many parameters as the
/// others.
struct MLP : Module {
  MLP(Index width, Index hidden, Init in_init = Init::normal(0.02),
      Init out_init = Init::normal(0.02), Activation activation = Activation::gelu);
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
