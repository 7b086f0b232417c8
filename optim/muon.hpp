#pragma once
#include "../core/kernels/gemm/gemm.hpp"
#include "adamw.hpp"

namespace tapehead {

/// Moves matrices equally far along all their singular directions (Jordan et al., "Muon"). Where
/// Parameter::matrices names some,
///   m = momentum m + g, u = g + momentum m, orthogonalised,
///   p -= lr (sqrt(max(1, rows / columns)) u + weight_decay p)
/// and all other parameters follow AdamW with `adam.lr` for a learning rate; a schedule that
/// changes `lr` changes both in proportion.
struct MuonOptions {
  double lr = 0.02, momentum = 0.95;
  double weight_decay = 0;  ///< of matrices; where a parameter asks for it
  AdamWOptions adam = {};
  bool needs_matrices = true;  ///< throw ValueError where no parameter is a matrix
  void options(Fields& f) {
    f("momentum", momentum, Range::fraction(), "momentum of matrices");
    f("adam-lr", adam.lr, Range::not_negative(),
      "AdamW's rate for all but matrices; decays as --lr does");
    f("beta1", adam.beta1, Range::fraction(), "decay of the mean gradient");
    f("beta2", adam.beta2, Range::fraction(), "decay of the mean squared gradient");
    f("adam-eps", adam.epsilon, Range::positive(), "--eps of AdamW for all but matrices");
    f("weight-decay", weight_decay, Range::not_negative(),
      "decay towards zero; not of biases and norms");
    adam.weight_decay = weight_decay;  // the option is for all parameters
  }
};
class Muon : public Optimizer {
 public:
  explicit Muon(ParameterList all, const MuonOptions& options = {});
  std::vector<State> state() override;
  /// How many tensors of its size the state has for a parameter.
  static Index moments(const Parameter& p) { return p.matrices.empty() ? 2 : 1; }
  static const char* exempt(const std::string& option, const Parameter& p);

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  template <class T>
  void update_matrices(std::size_t i, const Tensor& gradient, double factor);

  MuonOptions options_;
  std::vector<Tensor> momentum_;        // of matrices; of others no tensor
  std::vector<Tensor> first_, second_;  // of others
};

/// In place, x = U S V^T (its singular value decomposition) becomes nearly U V^T: five steps of
///   x = a x + b (x x^T) x + c (x x^T)^2 x, with a = 3.4445, b = -4.7750, c = 2.0315,
/// from x / |x|, bring singular values near 1, roughly to 0.7 to 1.2 (Jordan et al., "Muon"); those
/// below a thousandth of |x| stay smaller. Zeros stay zeros. x must be stored row by row, not
/// transposed.
void orthogonalise(Matrix<float> x);
void orthogonalise(Matrix<double> x);

}  // namespace tapehead
