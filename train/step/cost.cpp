#include "cost.hpp"
#include "../../core/numerics.hpp"

namespace tapehead {
namespace {

struct MultiplyAdds : TapeListener {
  double sum = 0;
  void multiplying(double more) override { sum += more; }
};

}  // namespace

Index default_shards(Index examples, Index length, Index parameters) {
  Index shards = 1;
  while (shards < pinned::most_shards && examples % (2 * shards) == 0) {
    // So many tokens make up for the time to read a shard's weights.
    const bool few = examples * length < pinned::tokens_per_shard * 2 * shards;
    // For a large model, splitting its ops works almost as well as splitting the batch, and needs
    // no copies of gradients.
    if (few && parameters > (shards == 1 ? pinned::many_parameters : pinned::parameters_in_cache))
      break;
    shards *= 2;
  }
  return shards;
}

double step_flops(const Module& model, const Batch& batch, const Loss* own) {
  MultiplyAdds counter;
  const ListenerScope listening(&counter);
  const MetaTensors outline;
  const Pause pause;
  Pass pass = Pass::training(0, 0);
  try {
    own ? (*own)(batch, pass) : predictions_at_targets(model, batch, pass).logits;
  } catch (const std::exception&) {  // thrown by a layer that needs values
    return 0;
  }
  return 3 * 2 * counter.sum;
}

}  // namespace tapehead
