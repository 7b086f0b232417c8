#pragma once
// The linear recurrence that gated linear attention, Mamba-2 and gated DeltaNet share.
#include "../../nn/module.hpp"

namespace tapehead::zoo {

/// The inputs of a linear recurrence. Each head has a state S (d, e). Each token decays the state,
/// adds the matrix k^T u, and reads with q:
///   S_t = exp(g_t) S_(t-1) + k_t^T u_t, y_t = q_t S_t
///   u_t = v_t, or with the delta rule u_t = beta_t (v_t - k_t exp(g_t) S_(t-1))
/// With the delta rule, u_t corrects the value that the state returns for k_t.
struct Recurrence {
  Tensor q, k;  // (batch, heads or 1, time, d)
  Tensor v;     // (batch, heads, time, e)
  /// g, the logarithms of the decays, at most 0: (batch, heads, time, 1), or (batch, heads, time,
  /// d) with a decay for each row of S. The delta rule supports only the first shape.
  Tensor log_decay;
  Tensor beta = {};  // (batch, heads, time, 1); null: no delta rule
};

struct RecurrenceResult {
  Tensor y;      // (batch, heads, time, e)
  Tensor state;  // S after the last token, (batch, heads, d, e)
};

/// Runs a recurrence token by token, from the state `start`; null: zeros.
RecurrenceResult run_by_steps(const Recurrence& r, const Tensor& start);

/// Computes the same with matmuls in chunks of at most `chunk` tokens, a power of two. Decays are
/// exponentials of sums of logarithms, so they are at most 1 and neither overflow nor cancel.
RecurrenceResult run_by_chunks(const Recurrence& r, const Tensor& start, Index chunk = 32);

/// Runs a recurrence in a layer and returns y. Uses run_by_steps for a single token, otherwise
/// run_by_chunks. If the pass has a cache, continues from its state. Tokens that the padding mask
/// of the pass hides don't change the state.
Tensor run_recurrence(Recurrence r, Pass& pass, const Module& layer);

}  // namespace tapehead::zoo
