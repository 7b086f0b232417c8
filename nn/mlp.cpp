#include "mlp.hpp"

namespace tapehead {
namespace {

/// The width between the layers: swiglu's is smaller, for its third layer.
Index inner_width(Index hidden, Activation activation) {
  return activation == Activation::swiglu ? std::max<Index>(hidden * 2 / 3, 1) : hidden;
}

}  // namespace

MLP::MLP(Index width, Index hidden, Init in_init, Init out_init, Activation activation_)
    : activation(activation_),
      in(width, inner_width(hidden, activation), {true, in_init}),
      out(inner_width(hidden, activation), width, {true, out_init}) {
  if (activation == Activation::swiglu)
    gate.emplace(width, inner_width(hidden, activation), LinearOptions{true, in_init});
}

Tensor MLP::forward(const Tensor& x, Pass& pass) const {
  Tensor hidden = activate(in(x, pass), x, pass);                 // (..., hidden)
  return out(pass.at(path, "neurons", std::move(hidden)), pass);  // (..., width)
}

Tensor MLP::activate(const Tensor& x, const Tensor& input, Pass& pass) const {
  switch (activation) {
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_erf:
      return gelu(x, Gelu::erf);
    case Activation::relu:
      return relu(x);
    case Activation::relu2: {
      const Tensor y = relu(x);
      return y * y;
    }
    case Activation::swiglu:
      break;
  }
  return silu((*gate)(input, pass)) * x;
}

}  // namespace tapehead
