#include "own_attention.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

void check_own_attention(const std::string& name, const ModelOptions::MakeLayer& make,
                         const ModelOptions& options) {
  const std::unique_ptr<Module> layer = make(options);
  initialise(*layer, 1, options.dtype);
  RandomKey key;
  const auto drawn = [&](const Shape& shape) {
    ++key.site;
    return random_normal(shape, key, options.dtype);
  };
  // Not as they are initialised: behind a projection of zeros nothing can be seen.
  for (Parameter* parameter : parameters(*layer))
    parameter->set(parameter->value() + 0.3 * drawn(parameter->shape));

  const Index time = std::min<Index>(options.context, 8);
  const Tensor past = drawn({1, time - 1, options.width});
  const auto after_past = [&](const Tensor& last) {
    Pass pass = Pass::evaluation();
    return (*layer)(concat({past, last}, 1), pass);  // (1, time, width)
  };
  const Tensor y = after_past(drawn({1, 1, options.width}));
  const Shape shape = {1, time, options.width};
  if (y.shape() != shape)
    throw ValueError("attention '{}' gives {} for {}, and must keep the shape", name, y.shape(),
                     shape);
  const Tensor other = after_past(drawn({1, 1, options.width}));
  const std::vector<double> a = y.values(), b = other.values();
  for (std::size_t i = 0; i < past.values().size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-3 * std::max({1.0, std::abs(a[i]), std::abs(b[i])}))
      throw ValueError(
          "attention '{}' isn't causal: what it gives for position {} depends on position {}; a "
          "gpt predicts each token from those before it",
          name, static_cast<Index>(i) / options.width, time - 1);
}

}  // namespace tapehead
