#include "layers.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

Linear::Linear(Index in, Index out, const LinearOptions& options) {
  const bool standard = options.init.kind == Init::Kind::uniform && options.init.value == 0;
  const double spread = 1 / std::sqrt(static_cast<double>(std::max<Index>(in, 1)));
  weight = Parameter({out, in}, standard ? Init::uniform(spread) : options.init, true);
  weight.matrices = {out};
  if (options.bias) bias = Parameter({out}, Init::constant(0), false);
}
Tensor Linear::forward(const Tensor& x, Pass& pass) const {
  return linear(x, weight, bias, pass.precision);
}

Embedding::Embedding(Index rows, Index width, Init init) : weight({rows, width}, init, true) {}
Tensor Embedding::forward(const Tensor& ids, Pass&) const { return gather_rows(weight, ids); }

LayerNorm::LayerNorm(Index width, double epsilon_)
    : gain({width}, Init::constant(1), false),
      bias({width}, Init::constant(0), false),
      epsilon(epsilon_) {}
Tensor LayerNorm::forward(const Tensor& x, Pass&) const {
  return layer_norm(x, gain, bias, epsilon);
}

RMSNorm::RMSNorm(Index width, double epsilon_, bool with_gain) : epsilon(epsilon_) {
  if (with_gain) gain = Parameter({width}, Init::constant(1), false);
}
Tensor RMSNorm::forward(const Tensor& x, Pass&) const { return rms_norm(x, gain, epsilon); }

Dropout::Dropout(double p_) : p(p_) {
  if (!(p >= 0 && p < 1)) throw ValueError("Dropout: p is {}, and must lie in [0, 1)", p);
}
Tensor Dropout::forward(const Tensor& x, Pass& pass) const {
  return pass.train && p > 0 ? dropout(x, p, pass.next_key()) : x;
}

CausalConvolution::CausalConvolution(Index width, Index reach)
    : weight({reach, width}, Init::constant(0), false) {
  if (reach < 1) throw ValueError("convolution: reach is {}, and must be at least 1", reach);
}

Tensor CausalConvolution::forward(const Tensor& x, Pass& pass) const {
  const Index reach = weight.shape[0], time = x.dim(1);
  Tensor near = x;  // and, with a cache, up to `reach` tokens before
  if (pass.cache) {
    const Tensor seen = pass.cache->state<Growing>(this).add(x);
    near = slice(seen, 1, std::max<Index>(0, seen.dim(1) - time - reach), seen.dim(1));
  }
  const Tensor all = pad(near, 1, reach + time - near.dim(1), 0);  // (batch, reach + time, width)
  Tensor y = x;
  for (Index back = 1; back <= reach; ++back)
    y = y + slice(all, 1, reach - back, reach - back + time) * slice(weight, 0, back - 1, back);
  return y;
}

}  // namespace tapehead
