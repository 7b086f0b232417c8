#include <tapehead/nn/attention.hpp>

namespace tapehead {
namespace {

Index checked_heads(Index width, Index heads) {
  if (width < 1 || heads < 1)
    throw ValueError("attention: width {} and {} heads; both must be at least 1", width, heads);
  if (width % heads != 0)
    throw ValueError("attention: {} heads don't divide width {}", heads, width);
  return heads;
}

Parameter temperature_parameter(Temperature kind, Index heads) {
  if (kind == Temperature::none) return {};
  // exp(0) is 1: at first it is as if there were none
  return Parameter(kind == Temperature::head ? Shape{heads} : Shape{}, Init::constant(0), false);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(Index width, Index heads_,
                                       const AttentionLayerOptions& options_)
    : heads(checked_heads(width, heads_)),
      options(options_),
      qkv(width, 3 * width, {true, options.in_init}),
      temperature(temperature_parameter(options.temperature, heads)),
      out(width, width, {true, options.out_init}) {}

Tensor MultiHeadAttention::forward(const Tensor& x, Pass& pass) const {
  AttentionOptions how;
  how.causal = options.causal;
  how.temperature = temperature;
  if (pass.train && options.dropout > 0) {
    how.dropout = options.dropout;
    how.key = pass.next_key();
  }
  Tensor weights;  // (batch, heads, time, time)
  if (pass.capture) how.weights = &weights;
  const Tensor projected = qkv(x, pass);                       // (batch, time, 3 width)
  const Tensor mixed = self_attention(projected, heads, how);  // (batch, time, width)
  if (pass.capture) pass.captured.push_back({path, weights});
  return out(mixed, pass);
}

}  // namespace tapehead
