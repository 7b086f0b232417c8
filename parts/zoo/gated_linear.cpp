#include "mixers.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead::zoo {
namespace {

AttentionLayerOptions with_narrow_keys(AttentionLayerOptions o) {
  if (o.head_width == 0 && o.heads > 0) o.head_width = std::max<Index>(o.width / o.heads / 2, 1);
  o.value_width = 2 * o.head_width;
  return require_own_keys("gated linear attention", o);
}

}  // namespace

GatedLinearAttention::GatedLinearAttention(AttentionLayerOptions o)
    : options(with_narrow_keys(o)),
      query(o.width, options.heads * options.head_width, {o.in_bias, o.in_init}),
      key(o.width, options.heads * options.head_width, {o.in_bias, o.in_init}),
      value(o.width, options.heads * options.value_width, {o.in_bias, o.in_init}),
      gate(o.width, options.heads * options.value_width, {o.in_bias, o.in_init}),
      decay_down(o.width, rank, {false, o.in_init}),
      decay_up(rank, options.heads * options.head_width, {true, o.in_init}),
      norm(options.value_width, o.epsilon),
      out(projection_out(options)) {}

Tensor GatedLinearAttention::forward(const Tensor& x, Pass& pass) const {
  const Index heads = options.heads;
  const Tensor log_decay = -softplus(-decay_up(decay_down(x, pass), pass)) / temperature;
  const double scale = 1 / std::sqrt(static_cast<double>(options.head_width));
  const Tensor y =
      run_recurrence({split_heads(query(x, pass) * scale, heads), split_heads(key(x, pass), heads),
                      split_heads(value(x, pass), heads), split_heads(log_decay, heads)},
                     pass, *this);
  return out(merge_heads(norm(y, pass)) * silu(gate(x, pass)), pass);
}

}  // namespace tapehead::zoo
