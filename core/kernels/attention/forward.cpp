// Attention that doesn't store its weights (Milakov and Gimelshein, "Online normalizer calculation
// for softmax"; Dao et al., "FlashAttention"). For each block of queries, loops over tiles of keys.
// Keeps the largest score so far, the sum of exponentials and the output. Rescales the sum and the
// output when a larger score appears. With causality, skips keys that no query of the block sees.
#include "../table.hpp"
#include "dropout.hpp"
#include "scores.hpp"
#include "softmax.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

template <class T>
struct Forward {
  const AttentionPlan& plan;
  const AttentionInputs<const T>& x;
  const HeadView<T>& y;
  T* lse;
  std::uint32_t* all_kept;
  T* weights;

  const AttentionSizes& n = plan.n;
  Index most = std::min(key_tile, n.keys), area = query_block * most;
  Index far = ByDistance<T>::size(plan);
  Tensor scratch = Tensor::empty({area + far}, dtype_of<T>());
  T* scores = scratch.mutable_data<T>();
  ByDistance<T> by_distance{plan, scores + area};
  DropoutMask kept{plan};
  RunningSoftmax<T> softmax = {};
  // A single query has a layout in which its scores are contiguous.
  bool single = n.queries == 1 && plan.dropout == 0;

  void head(Index b, Index h) {
    const bool finite = all_finite(x.v(b, n.kv_head(h), 0, n.keys, n.value_width));
    for (Index first = 0; first < n.queries; first += query_block)
      block(b, h, first, std::min(query_block, n.queries - first), finite);
  }

  void block(Index b, Index h, Index first, Index queries, bool finite) {
    const Matrix<T> out = y(b, h, first, queries, n.value_width);
    softmax.begin();
    const Index end = plan.seen(first + queries - 1);  // number of keys that the block sees
    if (end == 0) clear(out);
    for (Index k0 = plan.first_tile(first); k0 < end; k0 += most)
      add({plan, b, h, first, queries, k0, std::min(most, end - k0), single ? 1 : query_block}, out,
          finite);
    const Index row = (b * n.heads + h) * n.queries + first;
    map_row(
        lse + row, queries, [](auto shift, auto total) { return shift + kernel::log(total); },
        static_cast<const T*>(softmax.top), static_cast<const T*>(softmax.sum));
    for (Index i = 0; i < queries; ++i) {
      const T sum = softmax.sum[i];
      if (sum == 0) continue;  // no visible key: the output stays zero
      scale_row(out.data + i * out.stride, n.value_width, 1 / sum);
      if (weights) scale_row(weights + (row + i) * n.keys, n.keys, 1 / sum);
    }
  }

  void add(const Tile& tile, const Matrix<T>& out, bool finite) {
    const Matrix<const T> q = tile.queries_rows(x.q, n.width), k = tile.keys_rows(x.k, n.width);
    const Matrix<const T> v = tile.keys_rows(x.v, n.value_width);
    const Matrix<T> p = tile.matrix(scores);
    score(tile, q, k, by_distance, scores);
    kept.draw(tile, all_kept);
    tile.for_each_strip<T>([&](Index i, Index end, Index keys) {
      tile.hide_later(i, keys, scores);
      softmax.add(tile, i, keys, scores);
      kept.apply(i, keys, scores);
      for (Index l = i; l < end; ++l) {
        const T shrink = softmax.shrink[l];
        if (!tile.is_first() && shrink != 1)
          scale_row(out.data + l * out.stride, n.value_width, shrink);
        if (weights) keep_weights(tile, l, keys);
      }
      weighted_sum<T>(columns_of(rows_of(p, i, end), 0, keys), rows_of(v, 0, keys),
                      rows_of(out, i, end), T{1}, !tile.is_first(), finite);
    });
    if (plan.relative_values)
      gemm<T>(by_distance.sum(tile, scores), by_distance.table(plan.relative_values), out, T{1},
              true);
  }

  /// Stores the weights of query i of the tile if the caller passed a buffer for them.
  void keep_weights(const Tile& tile, Index i, Index keys) {
    T* const used = weights + ((tile.b * n.heads + tile.h) * n.queries + tile.first + i) * n.keys;
    scale_row(used, tile.k0, softmax.shrink[i]);
    for (Index j = 0; j < keys; ++j) used[tile.k0 + j] = scores[j * tile.stride + i];
  }
};

template <class T>
void attention_forward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                       const HeadView<T>& y, T* lse, std::uint32_t* kept, T* weights) {
  plan.parallel_heads([&](Index first, Index end) {
    Forward<T> work{plan, x, y, lse, kept, weights};
    plan.for_each_head(first, end, [&](Index b, Index h) { work.head(b, h); });
  });
}

}  // namespace

template <class T>
void add_attention_forward(Kernels<T>& table) {
  table.attention_forward = attention_forward<T>;
}
template void add_attention_forward(Kernels<float>&);
template void add_attention_forward(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
