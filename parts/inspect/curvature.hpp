#pragma once
#include "../../train/evaluate.hpp"
#include "lanczos.hpp"

namespace tapehead {

/// The Hessian H of a model's mean loss over some examples, in evaluation mode, with respect to all
/// parameters that aren't frozen, as one vector. Hessian-vector products use all threads and are
/// bitwise identical for any number of threads.
class LossHessian {
 public:
  /// Keeps a reference to the model, and batches of `at_once` examples.
  LossHessian(const TaskModel& model, const std::vector<Example>& examples, Index at_once,
              std::shared_ptr<const Loss> own = {});

  Index size() const;
  /// Returns H v, computed in the parameters' type; v and the result are f64, (size).
  Tensor operator()(const Tensor& v) const;

  /// The parameters of one block, or of a module outside the blocks.
  struct Block {
    std::string name;
    std::vector<bool> has;  ///< whether the block has each parameter
    Index size;
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Returns the product of v with the diagonal block of H for these parameters.
  Tensor block_product(const Block& block, const Tensor& v) const;
  /// Returns the elements of v for these parameters, (block.size).
  Tensor block_slice(const Block& block, const Tensor& v) const;

 private:
  const TaskModel& model_;
  const std::shared_ptr<const Loss> own_;
  std::vector<Batch> batches_;
  double targets_ = 0;  // number of targets in all batches
  std::vector<Tensor> values_;
  std::vector<Block> blocks_;
};

/// Eigenvalues of the Hessian, and sharpness and trace by block.
struct Curvature {
  struct BlockCurvature {
    std::string name;
    Index parameters;
    double sharpness;  ///< the largest eigenvalue
    double trace, error;
  };
  Eigenvalues eigenvalues;
  std::vector<BlockCurvature> parts;  ///< all parameters first, then each block
};
/// Computes the `top` largest eigenvalues of the Hessian, and sharpness and trace of its diagonal
/// blocks. Traces are means of v^T H v over random vectors v of 1 and -1, with their standard
/// errors (Hutchinson, "A stochastic estimator of the trace of the influence matrix", 1989).
/// `on_progress` receives the progress.
Curvature curvature(const LossHessian& hessian, Index top,
                    const std::function<void(double fraction)>& on_progress = {});

/// Returns the largest eigenvalue of the Hessian.
double sharpness(const LossHessian& hessian);

/// Returns the first `count` training examples of the first step. With --fixed-batch, returns at
/// most the examples of that batch.
std::vector<Example> first_training_examples(const Task& task, const TrainConfig& config,
                                             Index count);

}  // namespace tapehead
