// Attention without its weights in memory (Milakov and Gimelshein, "Online normalizer calculation
// for softmax"; Dao et al., "FlashAttention"): for a block of queries, tile after tile of keys, the
// largest score so far, the sum of exponentials and the output are carried along, and what they
// hold is shrunk whenever a larger score turns up. Causal blocks skip the keys that none of their
// queries sees.
#include <tapehead/core/attention_dropout.hpp>

namespace tapehead {
namespace {

template <class T>
struct Forward {
  const AttentionPlan& plan;
  const AttentionInputs<const T>& x;
  const HeadView<T>& y;
  T *lse, *weights;

  const AttentionSizes& n = plan.n;
  Index tile = std::min(key_tile, n.keys);
  Index distances = plan.distances();
  Tensor scratch = Tensor::empty({query_block * (2 * tile + distances)}, dtype_of<T>());
  T* scores = scratch.fresh<T>();
  T* by_distance = scores + query_block * tile;
  Kept<T> kept{plan, by_distance + query_block* distances};
  T top[query_block] = {}, sum[query_block] = {};

  void head(Index b, Index h) {
    const bool finite = all_finite(x.v(b, n.kv_head(h), 0, n.keys, n.value_width));
    for (Index first = 0; first < n.queries; first += query_block)
      block(b, h, first, std::min(query_block, n.queries - first), finite);
  }

  void block(Index b, Index h, Index first, Index rows, bool finite) {
    const Matrix<T> out = y(b, h, first, rows, n.value_width);
    for (Index i = 0; i < rows; ++i) top[i] = minus_infinity<T>, sum[i] = 0;
    const Index end = plan.seen(first + rows - 1);  // no query of the block sees more keys
    if (end == 0) clear(out);
    for (Index k0 = 0; k0 < end; k0 += tile)
      add_tile(b, h, first, rows, k0, std::min(tile, end - k0), finite);
    const Index row = (b * n.heads + h) * n.queries + first;
    map_row(
        lse + row, rows, [](auto shift, auto total) { return shift + log(total); },
        static_cast<const T*>(top), static_cast<const T*>(sum));
    for (Index i = 0; i < rows; ++i) {
      if (sum[i] == 0) continue;  // it may attend to nothing: zeros
      scale_row(out.data + i * out.stride, n.value_width, 1 / sum[i]);
      if (weights) scale_row(weights + (row + i) * n.keys, n.keys, 1 / sum[i]);
    }
  }

  void add_tile(Index b, Index h, Index first, Index rows, Index k0, Index columns, bool finite) {
    const Index kv = n.kv_head(h);
    const T factor = static_cast<T>(plan.factors[static_cast<std::size_t>(h)]);
    const Matrix<const T> q = x.q(b, h, first, rows, n.width);
    const Matrix<T> out = y(b, h, first, rows, n.value_width);
    gemm(q, x.k(b, kv, k0, columns, n.width).t(), matrix(scores, rows, columns), factor);
    if (plan.relative_keys)
      gemm(q, matrix(plan.relative_keys.data<T>(), distances, n.width).t(),
           matrix(by_distance, rows, distances), factor);
    kept.begin({plan, b, h, first, k0, columns}, rows, columns);
    for (Index i = 0; i < rows; ++i) {
      T* const p = scores + i * columns;
      T* const distance = by_distance + i * distances;
      const Row<T> row(plan, b, h, first + i, k0, columns);
      if (plan.relative_keys) row.add_distances(p, distance, distances);
      row.add_masks(p, true, factor);
      row.add_masks(p, false, 1);
      row.hide(p);

      const T before = top[i];
      top[i] = std::max(before, max_row(static_cast<const T*>(p), row.seen));
      if (top[i] == minus_infinity<T> && std::isnan(sum_row(static_cast<const T*>(p), row.seen)))
        top[i] = std::numeric_limits<T>::quiet_NaN();  // not hidden, but NaN
      const T shrink = k0 == 0 || top[i] == before ? T{1} : std::exp(before - top[i]);
      sum[i] = sum[i] * shrink + exponentials(p, row.seen, columns, top[i]);
      if (shrink != 1) scale_row(out.data + i * out.stride, n.value_width, shrink);
      kept.apply(row, i, p);
      if (weights) {
        T* const used = weights + ((b * n.heads + h) * n.queries + first + i) * n.keys;
        if (shrink != 1) scale_row(used, k0, shrink);
        std::copy_n(p, row.seen, used + k0);
      }
      if (plan.relative_values) row.sum_distances(distance, p, distances);
    }
    weigh<T>(matrix(scores, rows, columns), x.v(b, kv, k0, columns, n.value_width), out, T{1},
             k0 > 0, finite);
    if (plan.relative_values)
      gemm(matrix(by_distance, rows, distances),
           matrix(plan.relative_values.data<T>(), distances, n.value_width), out, T{1}, true);
  }
};

}  // namespace

template <class T>
void attention_forward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                       const HeadView<T>& y, T* lse, T* weights) {
  parallel_pieces(plan.n.kv_heads, plan.pieces(), [&](Index first, Index end) {
    Forward<T> work{plan, x, y, lse, weights};
    plan.each_head(first, end, [&](Index b, Index h) { work.head(b, h); });
  });
}

template void attention_forward(const AttentionPlan&, const AttentionInputs<const float>&,
                                const HeadView<float>&, float*, float*);
template void attention_forward(const AttentionPlan&, const AttentionInputs<const double>&,
                                const HeadView<double>&, double*, double*);

}  // namespace tapehead
