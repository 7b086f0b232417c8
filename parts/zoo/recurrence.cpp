#include "recurrence.hpp"

namespace tapehead::zoo {
namespace {

/// Returns a (n, n) matrix with 1 on and below the diagonal with this number, and 0 above.
Tensor ones_below(Index n, Index diagonal, DType dtype) {
  return cast(tril_mask(n, n, diagonal), dtype);
}
Tensor ones_above(Index n, Index diagonal, DType dtype) {
  return cast(triu_mask(n, n, diagonal), dtype);
}

/// Returns s_i + a_i (s_(i-1) + a_(i-1) (s_(i-2) + ...)) for each i along axis 2, in log2(n)
/// passes. a (..., n, d, 1) multiplies the rows of s (..., n, d, e), or a (..., n, d, d) are
/// matrices.
Tensor scan(Tensor a, Tensor s, bool matrices) {
  const Index n = s.dim(2);
  const auto earlier = [&](const Tensor& x, Index by) {
    return pad(slice(x, 2, 0, n - by), 2, by, 0);
  };
  const auto apply = [&](const Tensor& x, const Tensor& to) {
    return matrices ? matmul(x, to) : x * to;
  };
  for (Index by = 1; by < n; by *= 2) {
    s = s + apply(a, earlier(s, by));
    if (2 * by < n) a = apply(a, earlier(a, by));
  }
  return s;
}

/// Returns the sums over j <= i of (q_i exp(g_(j+1) + ... + g_i) . k_j) v_j in each chunk, with a
/// decay for each column of q and k. All have the shape (..., chunks, size, columns). For each pair
/// of halves of a chunk, of halves of halves and so on, a matmul computes the part of the second
/// half that depends on the first. Its decays are those up to the boundary times those after it.
Tensor within_chunks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& g) {
  Tensor y = sum(q * k, {-1}, true) * v;
  for (Index half = 1; half < v.dim(3); half *= 2) {
    const auto half_of = [&](const Tensor& x, Index which) {
      const Index pairs = x.dim(2) * x.dim(3) / (2 * half);
      return slice(reshape(x, {x.dim(0), x.dim(1), pairs, 2, half, x.dim(4)}), 3, which, which + 1);
    };
    const Tensor since = matmul(ones_below(half, 0, v.dtype()), half_of(g, 1));
    const Tensor until = matmul(ones_above(half, 1, v.dtype()), half_of(g, 0));
    const Tensor scores = matmul(half_of(q, 1) * exp(since), transpose(half_of(k, 0) * exp(until)));
    y = y + reshape(pad(matmul(scores, half_of(v, 0)), 3, 1, 0), v.shape());
  }
  return y;
}

/// A recurrence cut into chunks: tensors (batch, heads, chunks, size, ...).
struct Chunks {
  Index count, size;
  Tensor q, k, v, g, beta;

  Chunks(const Recurrence& r, Index chunk) {
    const Index time = r.v.dim(2);
    for (size = chunk; size / 2 >= time; size /= 2) {
    }
    count = (time + size - 1) / size;
    q = cut(r.q), k = cut(r.k), v = cut(r.v), g = cut(r.log_decay);
    if (r.beta) beta = cut(r.beta);
  }
  /// Adds zeros to the last chunk. Tokens of zeros don't change the state.
  Tensor cut(const Tensor& x) const {
    const Index missing = count * size - x.dim(2);
    return reshape(missing > 0 ? pad(x, 2, 0, missing) : x,
                   {x.dim(0), x.dim(1), count, size, x.dim(3)});
  }
  Tensor joined(const Tensor& y, Index time) const {
    const Tensor all = reshape(y, {y.dim(0), y.dim(1), count * size, y.dim(4)});
    return count * size > time ? slice(all, 2, 0, time) : all;
  }
};

/// Returns `start`, followed by the states after each chunk: (batch, heads, chunks + 1, d, e). A
/// chunk multiplies the state by `factor` and adds `added`.
Tensor states(const Tensor& start, const Tensor& factor, const Tensor& added, bool matrices) {
  if (!start) return pad(scan(factor, added, matrices), 2, 1, 0);
  const Tensor first = reshape(start, {start.dim(0), start.dim(1), 1, start.dim(2), -1});
  return scan(pad(factor, 2, 1, 0), concat({first, added}, 2), matrices);
}

}  // namespace

RecurrenceResult run_by_steps(const Recurrence& r, const Tensor& start) {
  Tensor state = start;
  std::vector<Tensor> all;
  for (Index t = 0; t < r.v.dim(2); ++t) {
    const auto now = [t](const Tensor& x) { return slice(x, 2, t, t + 1); };
    Tensor u = now(r.v);  // (batch, heads, 1, e)
    if (state) state = exp(transpose(now(r.log_decay))) * state;
    if (r.beta) u = now(r.beta) * (state ? u - matmul(now(r.k), state) : u);
    const Tensor added = matmul(transpose(now(r.k)), u);
    state = state ? state + added : added;
    all.push_back(matmul(now(r.q), state));
  }
  return {concat(all, 2), state};
}

RecurrenceResult run_by_chunks(const Recurrence& r, const Tensor& start, Index chunk) {
  const Chunks c(r, chunk);
  const DType dtype = r.v.dtype();
  const Index d = c.k.dim(4), e = c.v.dim(4);
  const Tensor lower = ones_below(c.size, 0, dtype), k_t = transpose(c.k);
  // Numbers per token are first repeated along the columns, because products of equal shapes are
  // several times as fast.
  const auto along = [](const Tensor& x, Index columns) {
    return matmul(x, ones({1, columns}, x.dtype()));
  };
  const bool by_column = c.g.dim(4) > 1;
  const Tensor g = by_column ? c.g : along(c.g, d);
  const Tensor since_start = exp(matmul(lower, g));  // decay from the start of a chunk
  const Tensor until_end = exp(matmul(ones_above(c.size, 1, dtype), g));
  const Tensor total = exp(sum(c.g, {3}, true));
  const Tensor whole = reshape(total, {total.dim(0), total.dim(1), c.count, total.dim(4), 1});
  const Tensor to_state = transpose(c.k * until_end);  // (batch, heads, chunks, d, size)
  const Tensor from_state = c.q * since_start;
  const auto result = [&](const Tensor& own, const Tensor& all) {
    const Tensor before = slice(all, 2, 0, c.count), after = slice(all, 2, c.count, c.count + 1);
    return RecurrenceResult{c.joined(own + matmul(from_state, before), r.v.dim(2)),
                            reshape(after, {after.dim(0), after.dim(1), d, e})};
  };
  if (by_column)
    return result(within_chunks(c.q, c.k, c.v, g),
                  states(start, whole, matmul(to_state, c.v), false));
  // Element (i, j) is exp(g_(j+1) + ... + g_i) for j <= i, and 0 above the diagonal.
  const Tensor decays = exp(matmul(lower, c.g * ones_below(c.size, -1, dtype))) * lower;
  const Tensor scores = matmul(c.q, k_t) * decays;
  if (!c.beta)
    return result(matmul(scores, c.v), states(start, whole, matmul(to_state, c.v), false));
  // The u of a chunk depend on each other: (I + L) u = beta v - beta exp(g) k S. Solving for both
  // terms makes them, and the state after the chunk, functions of the state S before it.
  const Tensor beta_k = along(c.beta, d) * c.k;
  const Tensor both = concat({along(c.beta, e) * c.v, beta_k * since_start}, 4);
  const Tensor solved = solve_unit_lower(matmul(beta_k, k_t) * decays, both);
  const Tensor update = matmul(to_state, solved);  // (batch, heads, chunks, d, e + d)
  const Tensor identity = ones_below(d, 0, dtype) * ones_above(d, 0, dtype);
  const Tensor all =
      states(start, whole * identity - slice(update, 4, e, e + d), slice(update, 4, 0, e), true);
  const Tensor before = slice(all, 2, 0, c.count);
  const Tensor u = slice(solved, 4, 0, e) - matmul(slice(solved, 4, e, e + d), before);
  return result(matmul(scores, u), all);
}

Tensor run_recurrence(Recurrence r, Pass& pass, const Module& layer) {
  if (const Tensor& mask = pass.key_mask()) {
    const Tensor shown =
        reshape(cast(mask, r.v.dtype()), {mask.dim(0), 1, mask.dim(1), 1});  // 0 for padding
    r.k = r.k * shown;
    r.log_decay = r.log_decay * shown;
  }
  if (!pass.cache) return run_by_chunks(r, {}).y;
  Tensor& state = pass.cache->state<Tensor>(&layer);
  const RecurrenceResult done = r.v.dim(2) == 1 ? run_by_steps(r, state) : run_by_chunks(r, state);
  state = done.state;
  return done.y;
}

}  // namespace tapehead::zoo
