#include "layers.hpp"

namespace tapehead::zoo {

Sinks::Sinks(AttentionLayerOptions o, Index sinks_)
    : options(causal(o)),
      sinks(sinks_),
      projection(options),
      positions(options.position.in_attention(options)),
      out(projection_out(options)) {
  if (sinks < 0)
    throw ValueError("sinks: the number of first tokens must be at least 0, got {}", sinks);
  if (positions && !options.position.as<RotaryPositions>())
    throw ValueError(
        "sinks: of the position schemes that act inside attention, only rotary is supported");
}

Tensor Sinks::forward(const Tensor& x, Pass& pass) const {
  const AttentionLayerOptions& o = options;
  Pass uncached = Pass::evaluation();  // this layer manages its own cache
  uncached.precision = pass.precision;
  const auto p = projection(x, x, x, uncached, nullptr);
  const Index first = first_position(pass);
  const auto rotate = [&](const Tensor& y, Index heads) {
    return positions ? positions->rotate(y, heads, o.head_width, first, pass) : y;
  };
  const Tensor q = rotate(p.q, o.heads);  // (batch, m, heads d)
  Tensor k = rotate(p.k, o.kv_heads), v = p.v;
  const Index total = first + x.dim(1);
  if (!pass.cache)
    return out(pass.has_pattern_hook() || pass.padding ? attend_masked(q, k, v, total, pass)
                                                       : attend_in_blocks(q, k, v, pass),
               pass);
  append_to_cache(pass, *this, k, v);
  const Index n = k.dim(1);
  const auto kept_of = [&](const Tensor& y) {
    return concat({slice(y, 1, 0, sinks), slice(y, 1, n - o.window + 1, n)}, 1);
  };
  if (o.window > 0 && n > kept()) pass.cache->state<KeyValueCache>(this) = {kept_of(k), kept_of(v)};
  return out(attend_masked(q, k, v, total, pass), pass);
}

Tensor Sinks::attend_masked(const Tensor& q, const Tensor& k, const Tensor& v, Index total,
                            Pass& pass) const {
  const Index m = q.dim(1), n = k.dim(1), dropped = total - n;
  AttentionOptions how = op_options(options, nullptr, m, n, q.dtype(), pass);
  how.window = 0;
  if (options.window > 0) {
    std::vector<double> seen;
    for (Index i = total - m; i < total; ++i)
      for (Index j = 0; j < n; ++j) seen.push_back(j < sinks || i - (j + dropped) < options.window);
    how.mask = tensor(seen, {m, n}, DType::i32);
  }
  how.replace = pass.pattern(path);
  return multi_head_attention(q, k, v, options.heads, options.kv_heads, how);
}

Tensor Sinks::attend_in_blocks(const Tensor& q, const Tensor& k, const Tensor& v,
                               Pass& pass) const {
  const Index batch = q.dim(0), time = q.dim(1), w = options.window, start = kept();
  if (w == 0 || time <= start) return attend_masked(q, k, v, time, pass);
  // The first queries have no complete window after the sinks, so they need a mask.
  const auto begin = [&](const Tensor& x) { return slice(x, 1, 0, start); };
  const Tensor first = attend_masked(begin(q), begin(k), begin(v), start, pass);
  const Index blocks = (time - start + w - 1) / w;
  // (batch, blocks size, heads d) -> (batch, blocks heads, size, d): each block of a head becomes a
  // head.
  const auto apart = [&](const Tensor& x, Index heads) {
    const Tensor five = reshape(x, {batch, blocks, x.dim(1) / blocks, heads, x.dim(2) / heads});
    const Tensor y = transpose(five, 2, 3);
    return reshape(y, {batch, blocks * heads, y.dim(3), y.dim(4)});
  };
  const auto keys = [&](const Tensor& x) {  // per block, the sinks and 2 w - 1 recent keys
    const Shape each{batch, blocks, sinks, x.dim(2)};
    const Tensor sunk = broadcast_to(reshape(slice(x, 1, 0, sinks), each.with(1, 1)), each);
    const Tensor near = pad(slice(x, 1, sinks, time), 1, 0, (blocks + 1) * w - (time - sinks));
    const std::vector<Tensor> parts = {reshape(sunk, {batch, blocks * sinks, x.dim(2)}),
                                       slice(near, 1, 0, blocks * w),
                                       slice(near, 1, w, (blocks + 1) * w)};
    std::vector<Tensor> cut;
    for (const Tensor& part : parts) cut.push_back(apart(part, options.kv_heads));
    return slice(concat(cut, 2), 2, 0, sinks + 2 * w - 1);
  };
  AttentionOptions how = op_options(options, nullptr, w, 2 * w - 1, q.dtype(), pass);
  how.extra = sinks;
  const Tensor rest = pad(slice(q, 1, start, time), 1, 0, blocks * w - (time - start));
  const Tensor y = attention(apart(rest, options.heads), keys(k), keys(v), how);
  const Tensor ordered = transpose(reshape(y, {batch, blocks, options.heads, w, y.dim(3)}), 2, 3);
  const Tensor others = reshape(ordered, {batch, blocks * w, q.dim(2)});
  return concat({first, slice(others, 1, 0, time - start)}, 1);
}

}  // namespace tapehead::zoo
