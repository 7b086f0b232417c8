#include "per_example.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../optim/clip.hpp"

namespace tapehead {

Tensor evaluation_loss(const Module& model, const Batch& batch) {
  Pass pass = Pass::evaluation();
  return cross_entropy(logits_of(model, batch, pass), batch.targets);
}

void each_example(
    const Module& model, const Batch& batch,
    const std::function<void(Index example, double loss, const Gradients& gradients)>& f,
    const BatchLoss& loss) {
  parallel_for(batch.inputs.dim(0), [&](Index i) {
    Tape tape;
    const Tensor own = loss(model, batch.rows(i, i + 1));
    f(i, own.item(), tape.backward(own));
  });
}

std::vector<Gradients> per_example_gradients(const Module& model, const Batch& batch,
                                             const BatchLoss& loss) {
  std::vector<Gradients> all(batch.inputs.dim(0));
  const auto keep = [&](Index i, double, const Gradients& gradients) { all[i] = gradients; };
  each_example(model, batch, keep, loss);
  return all;
}

std::vector<double> per_example_norms(const Module& model, const Batch& batch,
                                      const BatchLoss& loss) {
  std::vector<double> norms(batch.inputs.dim(0));
  const auto measure = [&](Index i, double, const Gradients& gradients) {
    norms[i] = global_norm(gradients);
  };
  each_example(model, batch, measure, loss);
  return norms;
}

}  // namespace tapehead
