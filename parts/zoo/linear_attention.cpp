#include "layers.hpp"

#include <algorithm>
#include <limits>

namespace tapehead::zoo {
namespace {

/// Computes elu(x) + 1: x + 1 above 0, exp(x) below.
Tensor phi(const Tensor& x) {
  return relu(x) + exp(clamp(x, -std::numeric_limits<double>::infinity(), 0));
}

/// Returns cumulative sums along axis 2. Uses log2(n) additions instead of `cumsum`, which ONNX
/// export doesn't support.
Tensor running_sum(Tensor x) {
  const Index n = x.dim(2);
  for (Index shift = 1; shift < n; shift *= 2) x = x + pad(slice(x, 2, 0, n - shift), 2, shift, 0);
  return x;
}

}  // namespace

LinearAttention::LinearAttention(AttentionLayerOptions o)
    : options(require_own_keys("linear attention", o)),
      projection(options),
      out(projection_out(options)) {}

Tensor LinearAttention::forward(const Tensor& x, Pass& pass) const {
  const Index time = x.dim(1), size = std::min(time, chunk), n = (time + size - 1) / size;
  Pass uncached = Pass::evaluation();
  uncached.precision = pass.precision;
  const auto p = projection(x, x, x, uncached, nullptr);
  const auto chunks = [&](const Tensor& y) {  // (batch, heads, time, d) -> (..., n, size, d)
    return reshape(pad(y, 2, 0, n * size - time), {y.dim(0), y.dim(1), n, size, y.dim(3)});
  };
  const Tensor values = split_heads(p.v, options.heads);
  // An extra column of v; its sums are z.
  const Tensor one = ones(values.shape().with(3, 1), x.dtype());
  Tensor keys = phi(split_heads(p.k, options.heads)), hidden;  // null: no padding
  if (const Tensor& mask = pass.key_mask()) {
    hidden = reshape(equal(mask, zeros({}, mask.dtype())), {mask.dim(0), 1, mask.dim(1), 1});
    keys = masked_fill(keys, hidden, 0);
  }
  const Tensor q = chunks(phi(split_heads(p.q, options.heads)));
  const Tensor k = chunks(keys);
  const Tensor v = chunks(concat({values, one}, 3));
  const Tensor sums = running_sum(matmul(transpose(k), v));  // (batch, heads, n, d, d + 1)
  Tensor before = pad(slice(sums, 2, 0, n - 1), 2, 1, 0);    // sums over all earlier chunks
  if (pass.cache) {
    auto& kept = pass.cache->state<Tensor>(this);  // (batch, heads, 1, d, d + 1)
    const Tensor last = slice(sums, 2, n - 1, n);
    if (kept) before = before + kept;
    kept = kept ? kept + last : last;
  }
  const Tensor scores = matmul(q, transpose(k)) * cast(tril_mask(size, size), x.dtype());
  Tensor y = matmul(scores, v) + matmul(q, before);  // (batch, heads, n, size, d + 1)
  y = slice(reshape(y, {x.dim(0), options.heads, n * size, -1}), 2, 0, time);
  const Index d = options.head_width;
  Tensor z = slice(y, 3, d, d + 1);
  if (hidden) z = masked_fill(z, hidden, 1);  // padding may see no key, so its z may be 0
  return out(merge_heads(slice(y, 3, 0, d) / z), pass);
}

}  // namespace tapehead::zoo
