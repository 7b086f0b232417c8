#include "mixers.hpp"

#include <cmath>

namespace tapehead::zoo {
namespace {

/// Scales each head of x (batch, time, heads d) to the norm `length`.
Tensor with_length(const Tensor& x, double length, Index heads, Index d) {
  constexpr double epsilon = 1e-6;  // added to the squared norm, as in the authors' code
  const double width = static_cast<double>(d);
  return rms_norm(x, full({heads, d}, length / std::sqrt(width), x.dtype()), epsilon / width);
}

}  // namespace

GatedDeltaNet::GatedDeltaNet(AttentionLayerOptions o)
    : options(require_own_keys("gated-deltanet", o)),
      query(o, o.heads * options.head_width),
      key(o, o.heads * options.head_width),
      value(o, o.heads * options.head_width),
      gate(o.width, o.heads * options.head_width, {o.in_bias, o.in_init}),
      beta(o.width, o.heads, {o.in_bias, o.in_init}),
      step(o.width, o.heads, {false, o.in_init}),
      decay(o.heads),
      norm(options.head_width, o.epsilon),
      out(projection_out(options)) {}

Tensor GatedDeltaNet::forward(const Tensor& x, Pass& pass) const {
  const Index heads = options.heads, d = options.head_width;
  const Tensor log_decay = decay.log_decay(decay.step(step(x, pass)));
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const Tensor y =
      run_recurrence({split_heads(with_length(query(x, pass), scale, heads, d), heads),
                      split_heads(with_length(key(x, pass), 1, heads, d), heads),
                      split_heads(value(x, pass), heads), split_heads(log_decay, heads),
                      split_heads(sigmoid(beta(x, pass)), heads)},
                     pass, *this);
  return out(merge_heads(norm(y, pass)) * silu(gate(x, pass)), pass);
}

}  // namespace tapehead::zoo
