#include "mixers.hpp"

namespace tapehead::zoo {
namespace {

Index heads_width(const AttentionLayerOptions& o, Index expand) {
  return expand * require_own_keys("mamba2", o).width;
}
/// Maps x (batch, time, d), which all heads share, to (batch, 1, time, d).
Tensor for_all_heads(const Tensor& x) { return reshape(x, {x.dim(0), 1, x.dim(1), x.dim(2)}); }

}  // namespace

// The offsets center the initial values on a logarithmic scale: dt at 0.01, A at 4.
StepDecay::StepDecay(Index heads)
    : step_bias({heads}, Init::uniform(2.302585092994046), false),  // log 10
      rate({heads}, Init::uniform(1.3862943611198906), false) {}    // log 4

Tensor StepDecay::step(const Tensor& x) const {
  constexpr double log_of_center = -4.605170185988091;  // log 0.01, nearly softplus^-1(0.01)
  return softplus(x + (step_bias + log_of_center));
}

Tensor StepDecay::log_decay(const Tensor& step) const { return -(step * (exp(rate) * 4.0)); }

Mamba2::Mamba2(AttentionLayerOptions o, Index expand, Index state)
    : options(require_own_keys("mamba2", o)),
      inner(heads_width(o, expand)),
      query(o, state > 0 ? state : inner / o.heads),
      key(o, state > 0 ? state : inner / o.heads),
      value(o, inner),
      gate(o.width, inner, {o.in_bias, o.in_init}),
      step(o.width, o.heads, {false, o.in_init}),
      decay(o.heads),
      skip({o.heads, 1, 1}, Init::constant(1), false),
      norm(inner, o.epsilon),
      out(inner, options.out_width, {o.out_bias, o.out_init}) {}

Tensor Mamba2::forward(const Tensor& x, Pass& pass) const {
  const Index heads = options.heads;
  const Tensor u = split_heads(value(x, pass), heads), dt = decay.step(step(x, pass));
  const Tensor y =
      run_recurrence({for_all_heads(query(x, pass)), for_all_heads(key(x, pass)),
                      u * split_heads(dt, heads), split_heads(decay.log_decay(dt), heads)},
                     pass, *this);
  return out(norm(merge_heads(y + skip * u) * silu(gate(x, pass)), pass), pass);
}

}  // namespace tapehead::zoo
