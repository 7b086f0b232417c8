#pragma once
#include "layers.hpp"

namespace tapehead {

/// The activation of an MLP. `gelu` uses the tanh approximation; `gelu_erf` is exact. `relu2` is
/// the square of relu (So et al., "Primer"). `swiglu` multiplies the hidden layer by silu of a
/// second one, the gate (Shazeer, "GLU Variants Improve Transformer").
enum class Activation { gelu, gelu_erf, relu, relu2, swiglu };

struct MLPOptions {
  Index hidden = 0;  ///< width of the hidden layer (0: MLP::default_hidden)
  Activation activation = Activation::gelu;
  bool biases = true;
  Init in_init = Init::normal(0.02), out_init = Init::normal(0.02);
};

/// A multilayer perceptron: width -> hidden -> width.
struct MLP : Module {
  explicit MLP(Index width, const MLPOptions& options = {});
  /// Returns four times the width. For swiglu, returns two thirds of that, so that its three layers
  /// have as many parameters as two layers have with other activations.
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
  /// Applies the activation to x (..., hidden), the output of the layer `in`. For swiglu, computes
  /// the gate from `input` (..., width).
  Tensor activate(const Tensor& x, const Tensor& input, Pass& pass) const;
};

}  // namespace tapehead
