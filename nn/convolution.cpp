#include "convolution.hpp"
#include "model_options.hpp"

#include <algorithm>

namespace tapehead {

CausalConvolution::CausalConvolution(Index width, Index reach)
    : weight({reach, width}, Init::constant(0), false) {
  if (reach < 1) throw ValueError("convolution: reach is {}, expected at least 1", reach);
}

Tensor CausalConvolution::forward(const Tensor& x, Pass& pass) const {
  const Index reach = weight.shape[0], time = x.dim(1);
  Tensor near = x;  // with a cache: x after up to `reach` earlier tokens
  if (pass.cache) {
    const Tensor seen = pass.cache->state<AppendableTensor>(this).add(x);
    near = slice(seen, 1, std::max<Index>(0, seen.dim(1) - time - reach), seen.dim(1));
  }
  const Tensor all = pad(near, 1, reach + time - near.dim(1), 0);  // (batch, reach + time, width)
  Tensor y = x;
  for (Index back = 1; back <= reach; ++back)
    y = y + slice(all, 1, reach - back, reach - back + time) * slice(weight, 0, back - 1, back);
  return y;
}

std::unique_ptr<Module> make_convolution(const ModelOptions& options) {
  if (options.convolution == 0) return nullptr;
  return std::make_unique<CausalConvolution>(options.width, options.convolution);
}

}  // namespace tapehead
