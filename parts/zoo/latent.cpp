#include "layers.hpp"

#include <cmath>

namespace tapehead::zoo {
namespace {

/// The width of r: only positions that turn keys need one.
Index turned_width(const AttentionLayerOptions& o) {
  const Positions& p = o.position;
  const bool scores = p.as<AlibiPositions>() || p.as<RelativePositions>() || p.as<T5Positions>();
  return p.act_in_attention() && !scores ? (o.head_width / 2 + 1) / 2 * 2 : 0;
}
/// Its keys are c and r, its values c.
std::unique_ptr<PositionScheme> positions_of(AttentionLayerOptions o, Index keys, Index values) {
  o.head_width = keys;
  o.value_width = values;
  return o.position.in_attention(o);
}

}  // namespace

Latent::Latent(AttentionLayerOptions o, Index latent_)
    : options(with_own_keys("latent attention", o)),
      latent(latent_ > 0 ? latent_ : 2 * options.head_width),
      turned(turned_width(options)),
      positions(positions_of(options, latent + turned, latent)),
      query(o.width, o.heads * (turned + options.head_width), {o.in_bias, o.in_init}),
      down(o.width, turned + latent, {o.in_bias, o.in_init}),
      norm(latent, o.epsilon),
      up_keys(latent, o.heads * options.head_width, {false, o.in_init}),
      up_values(latent, o.heads * options.head_width, {false, o.in_init}),
      out(projection_out(options)) {}

Tensor Latent::forward(const Tensor& x, Pass& pass) const {
  const Index heads = options.heads, d = options.head_width, first = first_position(pass);
  const auto turn = [&](const Tensor& y, Index of) {
    return turned > 0 ? positions->turn(y, of, turned, first) : y;
  };
  const Tensor q = turn(query(x, pass), heads), kv = turn(down(x, pass), 1);
  Tensor r = slice(kv, 2, 0, turned);                            // (batch, n, d_r)
  Tensor c = norm(slice(kv, 2, turned, turned + latent), pass);  // (batch, n, latent)
  continue_cache(pass, *this, r, c);
  const auto each = [&](const Tensor& w) {
    return reshape(cast(w, x.dtype()), {heads, d, latent});
  };
  const Index split = heads * turned;
  const Tensor to_c =  // (batch, heads, m, latent)
      matmul(heads_apart(slice(q, 2, split, split + heads * d), heads), each(up_keys.weight));
  const Tensor to_r = heads_apart(slice(q, 2, 0, split), heads);  // (batch, heads, m, d_r)
  const auto shared = [](const Tensor& y) {                       // by all heads
    return reshape(y, {y.dim(0), 1, y.dim(1), y.dim(2)});
  };
  AttentionOptions how = op_options(options, positions.get(), x.dim(1), c.dim(1), x.dtype(), pass);
  how.scale = scalar(1 / std::sqrt(static_cast<double>(d + turned)), x.dtype());
  how.replace = pass.pattern(path);
  const Tensor y =  // (batch, heads, m, latent)
      tapehead::attention(concat({to_c, to_r}, 3), shared(concat({c, r}, 2)), shared(c), how);
  return out(heads_together(matmul(y, transpose(each(up_values.weight)))), pass);
}

}  // namespace tapehead::zoo
