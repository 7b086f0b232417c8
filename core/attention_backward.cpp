// Attention backward. A tile's weights are computed again from the saved log-sum-exp, so that
// nothing of the forward pass is kept but its inputs, its output and one number a row.
#include <tapehead/core/attention_dropout.hpp>

namespace tapehead {
namespace {

template <class T>
struct Backward {
  const AttentionPlan& plan;
  const AttentionInputs<const T>& x;
  const HeadView<const T>&y, &dy;
  const T* lse;
  const AttentionInputs<T>& dx;
  const AttentionGradients<T>& more;

  const AttentionSizes& n = plan.n;
  Index tile = std::min(key_tile, n.keys), distances = plan.distances();
  Index area = query_block * tile, far = query_block * distances;
  Tensor scratch = Tensor::empty({4 * area + 2 * far}, dtype_of<T>());
  T *weights = scratch.fresh<T>(), *dweights = weights + area;  // (rows, columns)
  T* scores = dweights + area;                                  // before the factor
  T *by_distance = scores + 2 * area, *dby_distance = by_distance + far;
  Kept<T> kept{plan, scores + area};

  void head(Index b, Index h) {
    const Index kv = n.kv_head(h);
    const bool finite = all_finite(x.q(b, h, 0, n.queries, n.width)) &&
                        all_finite(x.k(b, kv, 0, n.keys, n.width)) &&
                        all_finite(dy(b, h, 0, n.queries, n.value_width));
    if (begins(h, 0)) {  // keys that the first block of queries doesn't reach are only added to
      const Index end = n.queries == 0 ? 0 : plan.seen(std::min(query_block, n.queries) - 1);
      clear(dx.k(b, kv, end, n.keys - end, n.width));
      clear(dx.v(b, kv, end, n.keys - end, n.value_width));
    }
    for (Index first = 0; first < n.queries; first += query_block) {
      const Index rows = std::min(query_block, n.queries - first);
      const Index end = plan.seen(first + rows - 1);
      if (end == 0) clear(dx.q(b, h, first, rows, n.width));
      for (Index k0 = 0; k0 < end; k0 += tile)
        add_tile(b, h, first, rows, k0, std::min(tile, end - k0), finite);
    }
  }

  /// A row of what the next head reads and writes; dy is near, having just been made.
  [[gnu::always_inline]] void fetch_after(Index b, Index h, Index row) const {
    if (++h == n.heads) ++b, h = 0;
    const Index kv = n.kv_head(h);
    fetch(x.q(b, h, row, 1, n.width)), fetch(dx.q(b, h, row, 1, n.width));
    fetch(x.k(b, kv, row, 1, n.width)), fetch(dx.k(b, kv, row, 1, n.width));
    fetch(x.v(b, kv, row, 1, n.value_width)), fetch(dx.v(b, kv, row, 1, n.value_width));
    fetch(y(b, h, row, 1, n.value_width));
  }

  /// Whether these are the first queries that read their keys: those of other blocks and other
  /// heads add to the gradients.
  bool begins(Index h, Index first) const { return first == 0 && h % (n.heads / n.kv_heads) == 0; }

  /// The relative tables, or their gradients, as matrices.
  Matrix<const T> table(const Tensor& t, Index width) const {
    return matrix(t.data<T>(), distances, width);
  }

  void add_tile(Index b, Index h, Index first, Index rows, Index k0, Index columns, bool finite) {
    const Index kv = n.kv_head(h);
    const T factor = static_cast<T>(plan.factors[static_cast<std::size_t>(h)]);
    const Matrix<const T> q = x.q(b, h, first, rows, n.width);
    const Matrix<const T> k = x.k(b, kv, k0, columns, n.width);
    const Matrix<const T> v = x.v(b, kv, k0, columns, n.value_width);
    const Matrix<const T> out = y(b, h, first, rows, n.value_width);
    const Matrix<const T> dout = dy(b, h, first, rows, n.value_width);
    const Matrix<T> w = matrix(weights, rows, columns), dw = matrix(dweights, rows, columns);
    const Matrix<T> near = matrix(by_distance, rows, distances);
    const Matrix<T> dnear = matrix(dby_distance, rows, distances);
    // Where the factor has a gradient the scores before it are needed as well.
    gemm(q, k.t(), w, more.factors ? T{1} : factor);
    gemm(dout, v.t(), dw);
    if (plan.relative_keys)
      gemm(q, table(plan.relative_keys, n.width).t(), near, more.factors ? T{1} : factor);
    if (plan.relative_values) gemm(dout, table(plan.relative_values, n.value_width).t(), dnear);
    kept.begin({plan, b, h, first, k0, columns}, rows, columns);
    for (Index i = 0; i < rows; ++i) {
      const Row<T> row(plan, b, h, first + i, k0, columns);
      T *const p = weights + i * columns, *const dp = dweights + i * columns;
      if (k0 == 0) fetch_after(b, h, first + i);
      recompute(row, i, p, columns, factor);
      if (plan.relative_values) row.add_distances(dp, dnear.data + i * distances, distances);
      kept.apply(row, i, dp);
      const T mean = dot(dout.data + i * dout.stride, out.data + i * out.stride, n.value_width);
      softmax_backward(dp, p, columns, mean);
      if (more.factors) more.factors[h] += dot_where_not_zero(dp, scores + i * columns, row.seen);
      row.collect_masks(dp, factor, more.masks);
      kept.again(row, i, p);
      if (plan.relative_keys) row.sum_distances(near.data + i * distances, dp, distances);
      if (plan.relative_values) row.sum_distances(dnear.data + i * distances, p, distances);
    }
    const bool add_to_keys = !begins(h, first);
    weigh<T>(dw, k, dx.q(b, h, first, rows, n.width), factor, k0 > 0, finite);
    weigh<T>(dw.t(), q, dx.k(b, kv, k0, columns, n.width), factor, add_to_keys, finite);
    weigh<T>(w.t(), dout, dx.v(b, kv, k0, columns, n.value_width), T{1}, add_to_keys, finite);
    if (plan.relative_keys)
      gemm(near, table(plan.relative_keys, n.width), dx.q(b, h, first, rows, n.width), factor,
           true);
    if (more.relative_keys)
      weigh<T>(near.t(), q, matrix(more.relative_keys, distances, n.width), factor, true, finite);
    if (more.relative_values)
      weigh<T>(dnear.t(), dout, matrix(more.relative_values, distances, n.value_width), T{1}, true,
               finite);
  }

  /// p, products of a query with keys, becomes its weights before dropout.
  void recompute(const Row<T>& row, Index i, T* p, Index columns, T factor) {
    if (plan.relative_keys) row.add_distances(p, by_distance + i * distances, distances);
    row.add_masks(p, true, more.factors ? T{1} : factor);
    if (more.factors) {
      std::copy_n(p, columns, scores + i * columns);
      scale_row(p, columns, factor);
    }
    row.add_masks(p, false, 1);
    row.hide(p);
    exponentials(p, row.seen, columns, lse[(row.b * n.heads + row.h) * n.queries + row.query]);
  }
};

}  // namespace

template <class T>
void attention_backward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                        const HeadView<const T>& y, const HeadView<const T>& dy, const T* lse,
                        const AttentionInputs<T>& dx, const AttentionGradients<T>& more) {
  // What all heads add to is added to by one thread.
  const bool shared = more.relative_keys || more.relative_values ||
                      std::any_of(more.masks.begin(), more.masks.end(), [](T* m) { return m; });
  parallel_pieces(plan.n.kv_heads, shared ? 1 : plan.pieces(), [&](Index first, Index end) {
    Backward<T> work{plan, x, y, dy, lse, dx, more};
    plan.each_head(first, end, [&](Index b, Index h) { work.head(b, h); });
  });
}

template void attention_backward(const AttentionPlan&, const AttentionInputs<const float>&,
                                 const HeadView<const float>&, const HeadView<const float>&,
                                 const float*, const AttentionInputs<float>&,
                                 const AttentionGradients<float>&);
template void attention_backward(const AttentionPlan&, const AttentionInputs<const double>&,
                                 const HeadView<const double>&, const HeadView<const double>&,
                                 const double*, const AttentionInputs<double>&,
                                 const AttentionGradients<double>&);

}  // namespace tapehead
