#include "layers.hpp"

#include <cmath>

namespace tapehead::zoo {
namespace {

/// Returns d_r, the width of the rotary part of keys: 0 unless a position scheme rotates keys.
Index rotary_width_of(const AttentionLayerOptions& o) {
  const Positions& p = o.position;
  const bool scores = p.as<AlibiPositions>() || p.as<RelativePositions>() || p.as<T5Positions>();
  return p.has_attention_scheme() && !scores ? (o.head_width / 2 + 1) / 2 * 2 : 0;
}
/// Returns the position scheme for keys and values of these widths.
std::unique_ptr<PositionScheme> positions_of(AttentionLayerOptions o, Index keys, Index values) {
  o.head_width = keys;
  o.value_width = values;
  return o.position.in_attention(o);
}

}  // namespace

Latent::Latent(AttentionLayerOptions o, Index latent_)
    : options(require_own_keys("latent attention", o)),
      latent(latent_ > 0 ? latent_ : 2 * options.head_width),
      rotary_width(rotary_width_of(options)),
      positions(positions_of(options, latent + rotary_width, latent)),
      query(o.width, o.heads * (rotary_width + options.head_width), {o.in_bias, o.in_init}),
      down(o.width, rotary_width + latent, {o.in_bias, o.in_init}),
      norm(latent, o.epsilon),
      up_keys(latent, o.heads * options.head_width, {false, o.in_init}),
      up_values(latent, o.heads * options.head_width, {false, o.in_init}),
      out(projection_out(options)) {}

Tensor Latent::forward(const Tensor& x, Pass& pass) const {
  const Index heads = options.heads, d = options.head_width, first = first_position(pass);
  const auto turn = [&](const Tensor& y, Index of) {
    return rotary_width > 0 ? positions->rotate(y, of, rotary_width, first, pass) : y;
  };
  const Tensor q = turn(query(x, pass), heads), kv = turn(down(x, pass), 1);
  Tensor r = slice(kv, 2, 0, rotary_width);                                  // (batch, n, d_r)
  Tensor c = norm(slice(kv, 2, rotary_width, rotary_width + latent), pass);  // (batch, n, latent)
  append_to_cache(pass, *this, r, c);
  const auto each = [&](const Tensor& w) {
    return reshape(cast(w, x.dtype()), {heads, d, latent});
  };
  const Index split = heads * rotary_width;
  const Tensor to_c =  // (batch, heads, m, latent)
      matmul(split_heads(slice(q, 2, split, split + heads * d), heads), each(up_keys.weight));
  const Tensor to_r = split_heads(slice(q, 2, 0, split), heads);  // (batch, heads, m, d_r)
  const auto shared = [](const Tensor& y) {                       // shared by all heads
    return reshape(y, {y.dim(0), 1, y.dim(1), y.dim(2)});
  };
  AttentionOptions how = op_options(options, positions.get(), x.dim(1), c.dim(1), x.dtype(), pass);
  how.scale = scalar(1 / std::sqrt(static_cast<double>(d + rotary_width)), x.dtype());
  how.replace = pass.pattern(path);
  const Tensor y =  // (batch, heads, m, latent)
      tapehead::attention(concat({to_c, to_r}, 3), shared(concat({c, r}, 2)), shared(c), how);
  return out(merge_heads(matmul(y, transpose(each(up_values.weight)))), pass);
}

}  // namespace tapehead::zoo
