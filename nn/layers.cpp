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
  if (!(p >= 0 && p < 1)) throw ValueError("Dropout: p is {}, expected a number in [0, 1)", p);
}
Tensor Dropout::forward(const Tensor& x, Pass& pass) const {
  return pass.train && p > 0 ? dropout(x, p, pass.next_key()) : x;
}

}  // namespace tapehead
