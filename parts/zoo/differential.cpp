#include "../../core/plural.hpp"
#include "layers.hpp"

namespace tapehead::zoo {
namespace {

AttentionLayerOptions halved(AttentionLayerOptions o) {
  if (o.heads < 1 || o.width % (2 * o.heads) != 0)
    throw ValueError(
        "differential attention: width is {}, expected a multiple of {} (twice the {})", o.width,
        2 * o.heads, plural(o.heads, "head"));
  o.head_width = o.width / (2 * o.heads);
  o.value_width = 2 * o.head_width;
  return causal(o);
}

/// Returns options with twice as many heads, of half the value width, so that one projection
/// computes the queries and keys of both maps.
AttentionLayerOptions doubled(AttentionLayerOptions o) {
  o.heads *= 2;
  o.kv_heads *= 2;
  o.value_width = o.head_width;
  return o;
}

}  // namespace

Differential::Differential(AttentionLayerOptions o, double start_)
    : options(halved(o)),
      projection(doubled(options)),
      positions(options.position.in_attention(options)),
      norm(options.value_width, o.epsilon),
      out(projection_out(options)),
      start(start_) {
  for (Parameter* one : {&lambda_q1, &lambda_k1, &lambda_q2, &lambda_k2})
    *one = Parameter({options.head_width}, Init::normal(0.1), false);
}

Tensor Differential::lambda() const {
  return exp(sum(lambda_q1 * lambda_k1)) - exp(sum(lambda_q2 * lambda_k2)) + start;
}

Tensor Differential::forward(const Tensor& x, Pass& pass) const {
  const AttentionLayerOptions& o = options;
  const auto p = projection(x, x, x, pass, positions.get());  // each (batch, time, 2 heads d)
  const std::vector<Tensor> q = split(p.q, 2, 2), k = split(p.k, 2, 2);
  Tensor weights[2];
  const auto map = [&](int i) {  // (batch, time, heads 2d)
    AttentionOptions how = op_options(o, positions.get(), x.dim(1), p.k.dim(1), x.dtype(), pass);
    if (pass.has_pattern_hook()) how.weights = &weights[i];
    return multi_head_attention(q[i], k[i], p.v, o.heads, o.kv_heads, how);
  };
  const Tensor first = map(0), second = map(1);
  if (pass.has_pattern_hook()) pass.show_pattern(path, concat({weights[0], weights[1]}, 1));
  const Tensor y = reshape(first - lambda() * second, {x.dim(0), x.dim(1), o.heads, -1});
  return out(reshape(norm(y, pass) * (1 - start), x.shape()), pass);
}

}  // namespace tapehead::zoo
