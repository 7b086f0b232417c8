#pragma once
#include "layers.hpp"

namespace tapehead {

/// What stands between the two layers of an MLP: gelu by tanh, or exactly, by erf; relu2, the
/// square of relu (So et al., "Primer"); swiglu, which multiplies by silu of a layer beside the
/// first, the gate (Shazeer, "GLU Variants Improve Transformer").
enum class Activation { gelu, gelu_erf, relu, relu2, swiglu };

struct MLPOptions {
  Index hidden = 0;  ///< numbers between the layers; 0: as MLP::default_hidden says
  Activation activation = Activation::gelu;
  bool biases = true;
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
};

/// width -> hidden -> width.
struct MLP : Module {
  explicit MLP(Index width, const MLPOptions& options = {});
  /// Four times the width; for swiglu two thirds of that, so that its three layers have as many
  /// parameters as two.
  static Index default_hidden(Index width, Activation activation);
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
  /// x (..., hidden) is what `in` made of `input` (..., width), which the gate reads too -> (...,
  /// hidden)
  Tensor activate(const Tensor& x, const Tensor& input, Pass& pass) const;
};

}  // namespace tapehead
