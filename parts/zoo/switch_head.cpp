#include "layers.hpp"

namespace tapehead::zoo {

SwitchHead::SwitchHead(AttentionLayerOptions o, Index experts_, Index active_)
    : options(require_own_keys("switchhead", o)),
      experts(experts_),
      active(active_),
      positions(options.position.in_attention(options)),
      query(o.width, o.heads * options.head_width, {o.in_bias, o.in_init}),
      key(o.width, o.heads * options.head_width, {o.in_bias, o.in_init}),
      value_router(o.width, o.heads * experts, {false, o.in_init}),
      out_router(o.width, o.heads * experts, {false, o.in_init}),
      value(o.width, o.heads * experts * options.head_width, {false, o.in_init}),
      out(o.heads * experts * options.head_width, o.width, {o.out_bias, o.out_init}) {
  value.weight.matrices.assign(static_cast<std::size_t>(o.heads * experts), options.head_width);
  if (active < 1 || active > experts)
    throw ValueError(
        "switchhead: the number of active experts must be from 1 to the number of experts, got {} "
        "of "
        "{}",
        active, experts);
}

Tensor SwitchHead::gates(const Linear& router, const Tensor& x, Pass& pass) const {
  const Index batch = x.dim(0), time = x.dim(1), heads = options.heads;
  const Tensor all = sigmoid(reshape(router(x, pass), {batch, time, heads, experts}));
  // The rank of an expert is the number of experts with a higher gate, or an equal gate and a lower
  // number.
  const Tensor here = reshape(all, {batch, time, heads, experts, 1});
  const Tensor there = reshape(here, {batch, time, heads, 1, experts});
  const Tensor before =
      where(tril_mask(experts, experts, -1), less_equal(here, there), less(here, there));
  const Tensor rank = sum(cast(before, x.dtype()), {-1});  // (batch, time, heads, experts)
  return masked_fill(all, rank >= static_cast<double>(active), 0);
}

Tensor SwitchHead::forward(const Tensor& x, Pass& pass) const {
  const Index batch = x.dim(0), time = x.dim(1), heads = options.heads, d = options.head_width;
  const auto turn = [&](const Tensor& y) {
    return positions ? positions->rotate(y, heads, d, first_position(pass), pass) : y;
  };
  const auto gates_of = [&](const Linear& router) {  // (batch, time, heads, experts, 1)
    return reshape(gates(router, x, pass), {batch, time, heads, experts, 1});
  };
  const Tensor q = turn(query(x, pass));
  Tensor k = turn(key(x, pass));
  const Tensor each = reshape(value(x, pass), {batch, time, heads, experts, d});
  Tensor v = reshape(sum(each * gates_of(value_router), {3}), {batch, time, heads * d});
  append_to_cache(pass, *this, k, v);
  AttentionOptions how = op_options(options, positions.get(), time, k.dim(1), x.dtype(), pass);
  how.replace = pass.pattern(path);
  const Tensor y = multi_head_attention(q, k, v, heads, heads, how);
  const Tensor to_each = reshape(y, {batch, time, heads, 1, d}) * gates_of(out_router);
  return out(reshape(to_each, {batch, time, heads * experts * d}), pass);
}

}  // namespace tapehead::zoo
