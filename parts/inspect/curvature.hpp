#pragma once
#include "../../train/evaluate.hpp"
#include "lanczos.hpp"

namespace tapehead {

/// The Hessian of a model's mean loss over some examples, as it is evaluated: by the parameters
/// that aren't frozen, all of them as one vector. Its products are computed on all threads, and no
/// bit of them depends on their number.
class LossHessian {
 public:
  /// Keeps the model, and its examples in batches of so many.
  LossHessian(const TaskModel& model, const std::vector<Example>& examples, Index at_once,
              std::shared_ptr<const Loss> own = {});

  Index size() const;
  /// H v, in the type of the parameters: v and the result are f64 (size).
  Tensor operator()(const Tensor& v) const;

  /// Parameters of one part of the model: of one block, or of a module outside the blocks.
  struct Block {
    std::string name;
    std::vector<bool> has;  ///< each parameter
    Index size;
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  /// The product with the diagonal block of H of some parameters.
  Tensor block_product(const Block& block, const Tensor& v) const;
  /// The elements of v that belong to them, (block.size).
  Tensor block_slice(const Block& block, const Tensor& v) const;

 private:
  const TaskModel& model_;
  const std::shared_ptr<const Loss> own_;
  std::vector<Batch> batches_;
  double targets_ = 0;  // that count, of all batches
  std::vector<Tensor> values_;
  std::vector<Block> blocks_;
};

struct Curvature {
  struct BlockCurvature {
    std::string name;
    Index parameters;
    double sharpness;  ///< the largest eigenvalue
    double trace, error;
  };
  Eigenvalues eigenvalues;
  std::vector<BlockCurvature> parts;  ///< of all parameters, and then of each block
};
/// The `top` largest eigenvalues of the Hessian, and what is known of its diagonal blocks. Traces
/// are means of v^T H v over random vectors v of 1 and -1 (Hutchinson's estimator, "A stochastic
/// estimator of the trace of the influence matrix", 1989), each with its standard error.
/// `on_progress` as for evaluate.
Curvature curvature(const LossHessian& hessian, Index top,
                    const std::function<void(double fraction)>& on_progress = {});

/// The largest eigenvalue of the Hessian.
double sharpness(const LossHessian& hessian);

/// So many training examples: the first of the first step. Where the first step's are those of all
/// steps, at most these.
std::vector<Example> first_training_examples(const Task& task, const TrainConfig& config,
                                             Index count);

}  // namespace tapehead
