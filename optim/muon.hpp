#pragma once
#include "../core/kernels/gemm/gemm.hpp"
#include "adamw.hpp"

namespace tapehead {

/// Options of Muon (Jordan et al.). It orthogonalises the updates of matrices, so that they move
/// equally far along all singular directions. For each matrix of Parameter::matrices,
///   m = momentum m + g, u = orthogonalise(g + momentum m),
///   p -= lr (sqrt(max(1, rows / columns)) u + weight_decay p)
/// All other parameters use AdamW with the learning rate `adam.lr`. A schedule that changes `lr`
/// changes both in proportion.
struct MuonOptions {
  double lr = 0.02, momentum = 0.95;
  double weight_decay = 0;  ///< weight decay of matrices with Parameter::decay
  AdamWOptions adam = {};
  bool needs_matrices = true;  ///< throw ValueError if no parameter is a matrix
  void options(Fields& f) {
    f("momentum", momentum, Range::fraction(), "momentum for matrices");
    f("adam-lr", adam.lr, Range::not_negative(),
      "learning rate of AdamW for parameters that aren't matrices; it decays like --lr");
    f("beta1", adam.beta1, Range::fraction(), "decay rate of the mean gradient");
    f("beta2", adam.beta2, Range::fraction(), "decay rate of the mean squared gradient");
    f("adam-eps", adam.epsilon, Range::positive(), "eps of AdamW for all but matrices");
    f("weight-decay", weight_decay, Range::not_negative(),
      "weight decay, except of biases and norms");
    adam.weight_decay = weight_decay;  // the option --weight-decay is for all parameters
  }
};
/// The optimizer Muon; see MuonOptions.
class Muon : public Optimizer {
 public:
  explicit Muon(ParameterList all, const MuonOptions& options = {});
  std::vector<State> state() override;
  /// Returns the number of state tensors for a parameter.
  static Index moments(const Parameter& p) { return p.matrices.empty() ? 2 : 1; }
  static const char* exempt(const std::string& option, const Parameter& p);

 private:
  void update(std::size_t i, const Tensor& gradient, double factor) override;
  template <class T>
  void update_matrices(std::size_t i, const Tensor& gradient, double factor);

  MuonOptions options_;
  std::vector<Tensor> momentum_;        // momentum of matrices; null for other parameters
  std::vector<Tensor> first_, second_;  // AdamW moments of other parameters
};

/// Replaces x = U S V^T (singular value decomposition) by approximately U V^T, in place (Jordan et
/// al., "Muon"). It computes x / |x| and then five steps of
///   x = a x + b (x x^T) x + c (x x^T)^2 x, with a = 3.4445, b = -4.7750, c = 2.0315.
/// The steps bring singular values to roughly 0.7 to 1.2, except for values below a thousandth of
/// |x|, which stay smaller. Zeros stay zeros. x must be contiguous and row-major.
void orthogonalise(Matrix<float> x);
void orthogonalise(Matrix<double> x);

}  // namespace tapehead
