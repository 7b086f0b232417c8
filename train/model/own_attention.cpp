#include "own_attention.hpp"
#include "../gradchecks/probes.hpp"

#include <algorithm>

namespace tapehead {

namespace {

std::unique_ptr<Module> made(const ModelOptions::MakeLayer& make, const ModelOptions& options) {
  return returned_by("attention", make(options));
}

/// Halves the width until the layer is small. Keeps the number of heads, and each head's width
/// even.
ModelOptions narrowed(const ModelOptions::MakeLayer& make, ModelOptions options) {
  constexpr Index few = 1 << 20;  // parameters
  while (count_parameters(*made(make, options)) > few && options.width % (4 * options.heads) == 0 &&
         options.head_width % 4 == 0) {
    ModelOptions half = options;
    half.width /= 2, half.head_width /= 2;
    try {
      made(make, half);
    } catch (const Error&) {  // a layer may need more
      break;
    }
    options = half;
  }
  return options;
}

}  // namespace

void check_own_attention(const std::string& name, const ModelOptions::MakeLayer& make,
                         const ModelOptions& given) {
  const ModelOptions options = narrowed(make, given);
  const std::unique_ptr<Module> layer = made(make, options);
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
