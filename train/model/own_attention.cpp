#include "own_attention.hpp"
#include "../gradchecks/probes.hpp"

#include <algorithm>

namespace tapehead {

void check_own_attention(const std::string& name, const ModelOptions::MakeLayer& make,
                         const ModelOptions& options) {
  const std::unique_ptr<Module> layer = make(options);
  initialise(*layer, 1, options.dtype);
  as_after_training(*layer);
  const auto forward = [&](const Tensor& x) {
    Pass pass = Pass::evaluation();
    return (*layer)(x, pass);
  };
  const Index time = std::min<Index>(options.context, 8);
  const Tensor x = random_normal({1, time, options.width}, {1}, options.dtype);
  if (const Shape shape = forward(x).shape(); shape != x.shape())
    throw ValueError("attention '{}' gives {} for {}, and must keep the shape", name, shape,
                     x.shape());
  if (const std::optional<FutureLeak> leak = future_leak(forward, x))
    throw ValueError(
        "attention '{}' isn't causal: what it gives for position {} depends on position {}; a "
        "gpt predicts each token from those before it",
        name, leak->position, leak->later);
}

}  // namespace tapehead
