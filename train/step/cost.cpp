#include "cost.hpp"

namespace tapehead {
namespace {

struct MultiplyAdds : TapeListener {
  double sum = 0;
  void multiplying(double more) override { sum += more; }
};

}  // namespace

Index default_shards(Index examples, Index length, Index parameters) {
  constexpr Index in_cache = 1 << 18, large = 1 << 22;  // parameters that take 1 and 16 MB
  constexpr Index enough = 256;  // tokens per shard that make up for reading its weights
  Index shards = 1;
  while (shards < 4 && examples % (2 * shards) == 0) {
    const bool few = examples * length < enough * 2 * shards;
    // For a large model, splitting its ops works almost as well as splitting the batch, and needs
    // no copies of gradients.
    if (few && parameters > (shards == 1 ? large : in_cache)) break;
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
    own ? (*own)(batch, pass) : logits_of(model, batch, pass);
  } catch (const std::exception&) {  // thrown by a layer that needs values
    return 0;
  }
  return 3 * 2 * counter.sum;
}

}  // namespace tapehead
