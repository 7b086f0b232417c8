#include "mixers.hpp"

#include <cmath>

namespace tapehead::zoo {
namespace {

/// Replaces the gates of hidden tokens by gates that keep the cell: i = 0 and f = 1.
Tensor keep_cell_at_padding(const Tensor& gates, const Tensor& mask) {
  constexpr double far = 1e4;  // far beyond any sum of the recurrent weights
  const Shape quarter{gates.dim(2) / 4};
  const Tensor closed = full(quarter, -far, gates.dtype()),
               open = full(quarter, far, gates.dtype());
  const Tensor none = zeros(quarter, gates.dtype());
  return where(reshape(mask, {mask.dim(0), mask.dim(1), 1}), gates,
               concat({closed, open, none, none}, 0));
}

}  // namespace

LSTM::LSTM(const AttentionLayerOptions& o)
    : hidden(o.width),
      in(o.width, 4 * o.width, {o.in_bias, o.in_init}),
      recurrent({4 * hidden, hidden}, Init::uniform(1 / std::sqrt(static_cast<double>(hidden))),
                true),
      out(hidden, o.out_width > 0 ? o.out_width : o.width, {o.out_bias, o.out_init}) {
  in.weight.matrices = recurrent.matrices = {hidden, hidden, hidden, hidden};
}

Tensor LSTM::forward(const Tensor& x, Pass& pass) const {
  Tensor gates = in(x, pass);
  if (const Tensor& mask = pass.key_mask()) gates = keep_cell_at_padding(gates, mask);
  Tensor* const kept = pass.cache ? &pass.cache->state<Tensor>(this) : nullptr;
  const Tensor both = lstm(gates, recurrent, kept ? *kept : Tensor());  // h and c of all tokens
  const Index time = x.dim(1);
  if (kept) *kept = reshape(slice(both, 1, time - 1, time), {x.dim(0), 2 * hidden});
  return out(slice(both, 2, 0, hidden), pass);
}

}  // namespace tapehead::zoo
