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
};
class Muon : public Optimizer {
 public:
  explicit Muon(Trained all, const MuonOptions& options = {});
  std::vector<State> state() override;
  /// How many tensors of its size the state has for a parameter.
  static Index moments(const Parameter& p) { return p.matrices.empty() ? 2 : 1; }

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
