#pragma once
#include "../../train/evaluate.hpp"
#include "lanczos.hpp"

namespace tapehead {

/// The Hessian H of a model's mean loss over some examples, in evaluation mode, with respect to the
/// vector of all parameters that aren't frozen. Hessian-vector products use all threads; the
/// results are bitwise identical for any number of threads.
class LossHessian {
 public:
  /// Keeps a reference to the model and splits the examples into batches of `at_once`. A null `own`
  /// means cross-entropy.
  LossHessian(const TaskModel& model, const std::vector<Example>& examples, Index at_once,
              std::shared_ptr<const Loss> own = {});

  Index size() const;
  /// Returns H v, computed in the parameters' type. v and the result are f64 vectors.
  Tensor operator()(const Tensor& v) const;

  /// The parameters of one block, or of a module outside the blocks.
  struct Block {
    std::string name;
    std::vector<bool> has;  ///< for each parameter, whether it belongs to the block
    Index size;
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Returns the product of the diagonal block of H for this block's parameters with v
  /// (block.size).
  Tensor block_product(const Block& block, const Tensor& v) const;
  /// Returns the elements of v for this block's parameters, (block.size).
  Tensor block_slice(const Block& block, const Tensor& v) const;

 private:
  const TaskModel& model_;
  const std::shared_ptr<const Loss> own_;
  std::vector<Batch> batches_;
  double targets_ = 0;  // number of targets in all batches
  std::vector<Tensor> values_;
  std::vector<Block> blocks_;
};

/// The largest eigenvalues of the Hessian, and the sharpness and trace of its diagonal blocks.
struct Curvature {
  struct BlockCurvature {
    std::string name;
    Index parameters;
    double sharpness;  ///< largest eigenvalue of the diagonal block
    double trace, error;
  };
  Eigenvalues eigenvalues;
  std::vector<BlockCurvature> parts;  ///< first for all parameters, then one per block
};
/// Computes the `top` largest eigenvalues of the Hessian, and the sharpness and trace of its
/// diagonal blocks. Traces are means of v^T H v over random vectors v of 1 and -1 (Hutchinson, "A
/// stochastic estimator of the trace of the influence matrix", 1989), each with its standard error.
/// Calls `on_progress` with the fraction done.
Curvature curvature(const LossHessian& hessian, Index top,
                    const std::function<void(double fraction)>& on_progress = {});

/// Returns the largest eigenvalue of the Hessian.
double sharpness(const LossHessian& hessian);

/// Returns the first `count` examples of the first training step. With --fixed-batch, returns at
/// most the examples of the fixed batch.
std::vector<Example> first_training_examples(const Task& task, const TrainConfig& config,
                                             Index count);

}  // namespace tapehead
