// Attention backward. Recomputes the weights of each tile from the log-sum-exp. So forward saves
// only the inputs, the output, the log-sum-exp of each query and, if there are few keys, the
// dropout bits.
#include "../table.hpp"
#include "dropout.hpp"
#include "scores.hpp"
#include "softmax.hpp"

#include <numeric>

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

template <class T>
struct Backward {
  const AttentionPlan& plan;
  const AttentionInputs<const T>& x;
  const HeadView<const T>&y, &dy;
  const T* lse;
  const std::uint32_t* all_kept;
  const AttentionInputs<T>& dx;
  const AttentionGradients<T>& more;

  const AttentionSizes& n = plan.n;
  Index most = std::min(key_tile, n.keys), area = query_block * most;
  Tensor scratch = Tensor::empty({3 * area + ByDistance<T>::size(plan)}, dtype_of<T>());
  T *weights = scratch.mutable_data<T>(), *dweights = weights + area;  // (keys, queries)
  T* scaled = dweights + area;                                         // scores before masks
  ByDistance<T> by_distance{plan, scaled + area};
  DropoutMask kept{plan};
  alignas(64) T mean[query_block] = {};

  void head(Index b, Index h) {
    const Index kv = n.kv_head(h);
    const bool finite = all_finite(x.q(b, h, 0, n.queries, n.width)) &&
                        all_finite(x.k(b, kv, 0, n.keys, n.width)) &&
                        all_finite(dy(b, h, 0, n.queries, n.value_width));
    if (begins(h, 0)) {  // clears gradients that the first queries don't write
      const Index end = n.queries == 0 ? 0 : plan.seen(std::min(query_block, n.queries) - 1);
      const Index begin = plan.first_tile(0);
      for (const auto& [from, to] : {std::pair(Index{0}, begin), std::pair(end, n.keys)}) {
        clear(dx.k(b, kv, from, to - from, n.width));
        clear(dx.v(b, kv, from, to - from, n.value_width));
      }
    }
    for (Index first = 0; first < n.queries; first += query_block) {
      const Index queries = std::min(query_block, n.queries - first);
      const Index end = plan.seen(first + queries - 1);
      if (end == 0) clear(dx.q(b, h, first, queries, n.width));
      for (Index k0 = plan.first_tile(first); k0 < end; k0 += most)
        add({plan, b, h, first, queries, k0, std::min(most, end - k0)}, finite);
    }
  }

  /// Returns the rows of this tile in the matrices of the next head, for prefetching. Omits dy,
  /// which is still in the cache, because it has just been computed.
  std::array<Matrix<const T>, 7> after(const Tile& tile) const {
    const bool last = tile.h + 1 == n.heads;
    const Index b = tile.b + last, h = last ? 0 : tile.h + 1, kv = n.kv_head(h);
    const auto rows = [&](const auto& m, Index head, Index width) -> Matrix<const T> {
      return m(b, head, tile.first, tile.queries, width);
    };
    return {rows(x.q, h, n.width),    rows(x.k, kv, n.width),  rows(x.v, kv, n.value_width),
            rows(dx.q, h, n.width),   rows(dx.k, kv, n.width), rows(dx.v, kv, n.value_width),
            rows(y, h, n.value_width)};
  }

  /// Returns whether these are the first queries that use the keys of a key-value head. Their
  /// gradients of keys and values overwrite the memory; the gradients for other queries and heads
  /// are added.
  bool begins(Index h, Index first) const { return first == 0 && h % (n.heads / n.kv_heads) == 0; }

  void add(const Tile& tile, bool finite) {
    const T factor = static_cast<T>(tile.factor());
    const Matrix<const T> q = tile.queries_rows(x.q, n.width), k = tile.keys_rows(x.k, n.width);
    const Matrix<const T> v = tile.keys_rows(x.v, n.value_width);
    const Matrix<const T> dout = tile.queries_rows(dy, n.value_width);
    const Matrix<T> w = tile.matrix(weights), dw = tile.matrix(dweights);
    score(tile, q, k, by_distance, weights, more.factors ? scaled : nullptr);
    gemm<T>(v, dout.t(), dw.t());
    if (plan.relative_values) by_distance.add(tile, dout, plan.relative_values, T{1}, dweights);
    sum_weighted_gradients(tile, dout);
    kept.find(tile, all_kept);
    const Matrix<T> dq = tile.queries_rows(dx.q, n.width);
    const T* const log_sums = lse + (tile.b * n.heads + tile.h) * n.queries + tile.first;
    tile.for_each_strip<T>([&](Index i, Index end, Index keys) {
      tile.hide_later(i, keys, weights);
      kept.apply(i, keys, dweights);
      for (Index r = i; r < i + logical_lanes<T>; r += lanes<T>) {
        const Index part = std::clamp<Index>(end - r, 0, lanes<T>);
        softmax_backward(tile, r, keys, load_partial(log_sums + r, part),
                         Vec<T>::load_aligned(mean + r), weights, dweights);
      }
      kept.apply(i, keys, weights);
      weighted_sum<T>(columns_of(rows_of(dw, i, end), 0, keys), rows_of(k, 0, keys),
                      rows_of(dq, i, end), factor, !tile.is_first(), finite);
    });
    const Matrix<T> dk = tile.keys_rows(dx.k, n.width), dv = tile.keys_rows(dx.v, n.value_width);
    const bool again = !begins(tile.h, tile.first);
    tile.for_each_strip_of_keys<T>([&](Index j, Index end, Index begin) {
      const auto part = [&](const Matrix<T>& m) {  // (keys, queries)
        return rows_of(columns_of(m, j, end), begin, tile.queries).t();
      };
      const auto later = [&](const auto& m) { return rows_of(m, begin, tile.queries); };
      weighted_sum<T>(part(dw), later(q), rows_of(dk, j, end), factor, again, finite);
      weighted_sum<T>(part(w), later(dout), rows_of(dv, j, end), T{1}, again, finite);
    });
    if (more.factors) more.factors[tile.b * n.heads + tile.h] += factor_gradient(tile, log_sums);
    collect_masks(tile, factor, dweights, more.masks);
    if (plan.relative_keys) {
      const Matrix<const T> near = by_distance.sum(tile, dweights);
      gemm<T>(near, by_distance.table(plan.relative_keys), dq, factor, true);
      if (more.relative_keys)
        weighted_sum<T>(near.t(), q, matrix(more.relative_keys, near.columns, n.width), factor,
                        true, finite);
    }
    if (more.relative_values)
      weighted_sum<T>(by_distance.sum(tile, weights).t(), dout,
                      matrix(more.relative_values, plan.distances(), n.value_width), T{1}, true,
                      finite);
  }

  /// Returns the sum of dweights times the unscaled scores, in double. Skips hidden scores, which
  /// may be infinite but have dweight 0. A row of dweights sums to 0, so any constant may be
  /// subtracted from the row's scores. Subtracts the logarithm of the mean exponential, which is
  /// near the largest scores, so that large scores don't amplify the rounding of dweights.
  double factor_gradient(const Tile& tile, const T* log_sums) const {
    const double factor = static_cast<T>(tile.factor());
    double shift[query_block] = {}, sums[query_block] = {};
    for (Index i = 0; i < tile.queries && factor != 0; ++i)
      shift[i] = static_cast<double>(log_sums[i]) -
                 kernel::log(static_cast<double>(plan.seen(tile.first + i)));
    for (Index j = 0; j < tile.keys; ++j)
      for (Index i = 0; i < query_block; ++i) {  // includes rows past the last query
        const double d = dweights[j * query_block + i], s = scaled[j * query_block + i];
        sums[i] += d == 0 ? 0 : d * (s - shift[i]);
      }
    const double sum = std::accumulate(sums, sums + tile.queries, 0.0);
    return factor == 0 ? sum : sum / factor;
  }

  /// Computes `mean`, the sum of p dp for each query, where p are the weights. The dot product of
  /// dy and y has the same value.
  void sum_weighted_gradients(const Tile& tile, const Matrix<const T>& dout) {
    const Matrix<const T> out = tile.queries_rows(y, n.value_width);
    const auto product = [](auto a, auto b) { return a * b; };
    const auto next = after(tile);
    for (Index i = 0; i < tile.queries; ++i) {
      if (tile.is_first())
        for (const auto& m : next) prefetch(rows_of(m, i, i + 1));
      mean[i] =
          sum_row(n.value_width, product, dout.data + i * dout.stride, out.data + i * out.stride);
    }
  }
};

template <class T>
void attention_backward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                        const HeadView<const T>& y, const HeadView<const T>& dy, const T* lse,
                        const std::uint32_t* kept, const AttentionInputs<T>& dx,
                        const AttentionGradients<T>& more) {
  // If heads share a gradient, one thread computes all of them, because threads would overwrite
  // each other's sums.
  const bool shared = more.relative_keys || more.relative_values ||
                      std::any_of(more.masks.begin(), more.masks.end(), [](T* m) { return m; });
  const auto heads = [&](Index first, Index end) {
    Backward<T> work{plan, x, y, dy, lse, kept, dx, more};
    plan.for_each_head(first, end, [&](Index b, Index h) { work.head(b, h); });
  };
  shared ? heads(0, plan.n.batch * plan.n.kv_heads) : plan.parallel_heads(heads);
}

}  // namespace

template <class T>
void add_attention_backward(Kernels<T>& table) {
  table.attention_backward = attention_backward<T>;
}
template void add_attention_backward(Kernels<float>&);
template void add_attention_backward(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
