#include "mlp.hpp"

namespace tapehead {

Index MLP::default_hidden(Index width, Activation activation) {
  return activation == Activation::swiglu ? width * 8 / 3 : 4 * width;
}

namespace {

Index hidden_of(Index width, const MLPOptions& o) {
  return o.hidden > 0 ? o.hidden : MLP::default_hidden(width, o.activation);
}

}  // namespace

MLP::MLP(Index width, const MLPOptions& o)
    : activation(o.activation),
      in(width, hidden_of(width, o), {o.biases, o.in_init}),
      out(hidden_of(width, o), width, {o.biases, o.out_init}) {
  if (activation == Activation::swiglu)
    gate.emplace(width, hidden_of(width, o), LinearOptions{o.biases, o.in_init});
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
