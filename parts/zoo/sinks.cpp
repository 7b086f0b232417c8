#include "sinks.hpp"
#include "../../nn/attention/positions.hpp"

namespace tapehead::zoo {

Sinks::Sinks(AttentionLayerOptions o, Index sinks)
    : options(causal(o)),
      seen{options, sinks},
      projection(options),
      positions(attention_positions(options)),
      out(projection_out(options)) {
  if (sinks < 0) throw ValueError("sinks: {} first tokens; there can't be fewer than 0", sinks);
  if (positions && (options.scheme || options.position != Position::rotary))
    throw ValueError("sinks: positions that act in attention must be rotary");
}

Tensor Sinks::forward(const Tensor& x, Pass& pass) const {
  const AttentionLayerOptions& o = options;
  Pass uncached = Pass::evaluation();  // what the window has left behind isn't kept
  uncached.precision = pass.precision;
  const auto p = projection(x, x, x, uncached, nullptr);
  const Index first = first_position(pass);
  const auto turned = [&](const Tensor& y, Index heads) {
    return positions ? positions->turn(y, heads, o.head_width, first) : y;
  };
  const Tensor q = turned(p.q, o.heads);  // (batch, m, heads d)
  Tensor k = turned(p.k, o.kv_heads), v = p.v;
  const Index total = first + x.dim(1);
  if (!pass.cache)
    return out(pass.sees_patterns() ? seen.masked(q, k, v, total, pass, path)
                                    : seen.in_blocks(q, k, v, pass, path),
               pass);
  continue_cache(pass, *this, k, v);
  const Index n = k.dim(1);
  const auto kept = [&](const Tensor& y) {
    return concat({slice(y, 1, 0, seen.sinks), slice(y, 1, n - o.window + 1, n)}, 1);
  };
  if (o.window > 0 && n > seen.kept()) pass.cache->state<KeysAndValues>(this) = {kept(k), kept(v)};
  return out(seen.masked(q, k, v, total, pass, path), pass);
}

}  // namespace tapehead::zoo
