#include "step_loss.hpp"
#include "../../core/derivatives.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../nn/recompute.hpp"
#include "../../optim/clip.hpp"

namespace tapehead {
namespace {

/// Returns the product of the loss's Hessian and v, which has a tensor per parameter, frozen or
/// not. Every rank computes the whole product.
std::vector<Tensor> sharded_hvp(const Module& model, const Batch& batch, std::uint64_t seed,
                                Index step, Index shards, const std::vector<Tensor>& v,
                                const StepOptions& options) {
  const std::vector<Tensor> x = values(parameters(model));
  const double counts = counted(batch, options.loss), count = counts > 0 ? counts : 1;
  const Index rows = batch.inputs.dim(0) / options.accumulate / shards;
  std::vector<Tensor> sum;
  for (Index part = 0; part < options.accumulate; ++part) {
    std::vector<Grads> products(shards);
    parallel_for(shards, [&](Index shard) {
      const Index first = (part * shards + shard) * rows;
      const Batch own = batch.rows(first, first + rows);
      const Function loss = [&](const std::vector<Tensor>&) {
        Pass pass = Pass::training(seed, step, first);
        pass.precision = options.precision;
        const KeepActivations keep;
        return partial_loss(model, own, pass, count, options);
      };
      const Pause alone;
      products[shard] = hvp(loss, x, v, Unused::zeros).second;
    });
    for (const Grads& product : products) {  // in the order of the shards
      sum.resize(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) sum[i] = sum[i] ? sum[i] + product[i] : product[i];
    }
  }
  return sum;
}

}  // namespace

StepLoss step_loss(const StepInputs& of, double value) {
  const auto again = [=] {
    StepResult there;
    Gradients gradients =
        sharded_gradients(of.model, of.batch, of.seed, of.step, of.shards, there, of.options);
    const double norm = global_norm(gradients, parameters(of.model));
    return std::pair(there.loss, clipped(std::move(gradients), norm, of.max_norm));
  };
  const auto hvp = [=](const std::vector<Tensor>& v) {
    return sharded_hvp(of.model, of.batch, of.seed, of.step, of.shards, v, of.options);
  };
  return {value, again, hvp};
}

}  // namespace tapehead
