#pragma once
// What the attention ops hand to their kernel: a plan of what is to be computed, and where inputs,
// result and gradients lie.
#include "../../random.hpp"
#include "../../runtime/parallel.hpp"
#include "../gemm/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tapehead {

using tuning::key_tile;
using tuning::query_block;

struct AttentionSizes {
  Index batch, heads, kv_heads;  // kv_heads divides heads
  Index queries, keys;           // keys count the extra ones
  Index width, value_width;      // of a head

  /// Which keys and values head h reads.
  Index kv_head(Index h) const { return h / (heads / kv_heads); }
};

/// A tensor that is added to the scores, or hides them where it is i32 and 0. Its element for
/// (b, h, query, key), the key counted without the extra ones, is at
/// first + b * strides[0] + h * strides[1] + query * strides[2] + key * strides[3].
struct AttentionMask {
  Tensor values;
  Index first;
  Index strides[4];
  bool before_scale;
};

/// What both directions of the kernel need besides q, k and v.
struct AttentionPlan {
  AttentionSizes n;
  bool causal, hide_self;
  Index extra;
  std::vector<AttentionMask> masks;
  Tensor relative_keys, relative_values;  // (2 reach + 1, width), (2 reach + 1, value_width)
  std::vector<double> factors;            // of the scores, a head each
  double dropout;
  RandomKey key;

  Index blocks() const { return (n.queries + query_block - 1) / query_block; }  ///< of queries
  /// Whether backward finds what dropout keeps, a bit a weight: for so many keys these are a small
  /// part of what it needs, for many more they would be most of it, and are drawn again.
  bool writes_kept() const { return dropout > 0 && n.keys <= key_tile; }
  /// The number of rows of the relative tables, 2 reach + 1; 0 without any.
  Index distances() const {
    return relative_keys ? relative_keys.dim(0) : relative_values ? relative_values.dim(0) : 0;
  }
  /// Where a query stands among the keys that have a place: aligned at the end.
  Index place(Index query) const { return n.keys - extra - n.queries + query; }
  /// How many keys, from the first one on, a query may see by causality.
  Index seen(Index query) const {
    return causal ? extra + std::clamp<Index>(place(query) + 1, 0, n.keys - extra) : n.keys;
  }

  /// The first query that may see a key by causality.
  Index first_seeing(Index key) const {
    return causal && key >= extra ? std::max<Index>(key - extra - place(0), 0) : 0;
  }

  /// Into how many shares the heads of keys and values are cut.
  Index head_split() const {
    const double products = 4.0 * static_cast<double>(n.batch * n.heads * n.queries) *
                            static_cast<double>(n.keys * (n.width + n.value_width));
    return std::min(tapehead::idle_split(products), std::max<Index>(n.kv_heads, 1));
  }
  /// Calls work(b, h) for the heads that read kv heads `first` to end - 1, neighbours in a row.
  template <class F>
  void each_head(Index first, Index end, F work) const {
    const Index group = n.heads / n.kv_heads;
    for (Index b = 0; b < n.batch; ++b)
      for (Index h = first * group; h < end * group; ++h) work(b, h);
  }
};
/// The matrices of all heads inside one buffer: element (time, i) of a head lies at
/// data[batch * batch stride + head * head stride + time * time stride + i].
template <class T>
struct HeadView {
  T* data;
  Index batch, head, time;  // strides

  Matrix<T> operator()(Index b, Index h, Index first, Index rows, Index width) const {
    return {data + b * batch + h * head + first * time, rows, width, time};
  }
};
template <class T>
struct AttentionInputs {
  HeadView<T> q, k, v;
};
/// Gradients besides those of q, k and v: null where they aren't wanted. All are zero before.
template <class T>
struct AttentionGradients {
  std::vector<T*> masks;  // one for each of the plan's, laid out as it is
  T* relative_keys;
  T* relative_values;
  double* factors;  // (heads): of what the scores are multiplied by
};

/// y = weights v, and for backward the logarithm of each row's sum of exponentials, (batch, heads,
/// queries), and the words of Kept, (batch, heads, blocks, keys), or null; the weights too where
/// they are wanted, (batch, heads, queries, keys), zero before.
template <class T>
void attention_forward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                       const HeadView<T>& y, T* lse, std::uint32_t* kept, T* weights);
/// Fills dx, and adds to `more`.
template <class T>
void attention_backward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                        const HeadView<const T>& y, const HeadView<const T>& dy, const T* lse,
                        const std::uint32_t* kept, const AttentionInputs<T>& dx,
                        const AttentionGradients<T>& more);

}  // namespace tapehead
