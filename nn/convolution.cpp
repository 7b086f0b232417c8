#include "convolution.hpp"

#include <algorithm>

namespace tapehead {

CausalConvolution::CausalConvolution(Index width, Index reach)
    : weight({reach, width}, Init::constant(0), false) {
  if (reach < 1) throw ValueError("convolution: reach is {}, and must be at least 1", reach);
}

Tensor CausalConvolution::forward(const Tensor& x, Pass& pass) const {
  const Index reach = weight.shape[0], time = x.dim(1);
  const Tensor seen = pass.cache ? pass.cache->entries[this].keys.add(x) : x;
  const Index total = seen.dim(1), first = std::max<Index>(0, total - time - reach);
  const Index zeros = reach - (total - time - first);  // before the first token
  const Tensor all =
      pad(slice(seen, 1, first, total), 1, zeros, 0);  // (batch, reach + time, width)
  Tensor y = x;
  for (Index back = 1; back <= reach; ++back)
    y = y + slice(all, 1, reach - back, reach - back + time) * slice(weight, 0, back - 1, back);
  return y;
}

}  // namespace tapehead
