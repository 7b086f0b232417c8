#pragma once
// What the attention ops pass to their kernels: a plan of the computation, and where the inputs,
// the result and the gradients lie in memory.
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
  Index queries, keys;           // keys include the extra ones
  Index width, value_width;      // per head

  /// The head of the keys and values that query head h reads.
  Index kv_head(Index h) const { return h / (heads / kv_heads); }
};

/// A tensor that is added to the scores, or, if it is i32, hides the scores where it is 0. Its
/// element for (b, h, query, key), where key is counted without the extra ones, is at
/// first + b * strides[0] + h * strides[1] + query * strides[2] + key * strides[3].
struct AttentionMask {
  Tensor values;
  Index first;
  Index strides[4];
  bool before_scale;
};

/// What forward and backward need besides q, k and v.
struct AttentionPlan {
  AttentionSizes n;
  bool causal, hide_self;
  Index extra, window;
  std::vector<AttentionMask> masks;
  Tensor relative_keys, relative_values;  // (2 reach + 1, width), (2 reach + 1, value_width)
  std::vector<double> factors;            // of the scores, one per head
  double dropout;
  RandomKey key;

  Index blocks() const { return (n.queries + query_block - 1) / query_block; }  ///< of queries
  /// Whether forward writes the dropout mask, one bit per weight, for backward. Up to key_tile
  /// keys the bits are a small part of the memory that backward needs; with many more they would
  /// dominate it, and backward draws them again.
  bool saves_dropout_mask() const { return dropout > 0 && n.keys <= key_tile; }
  /// The number of rows of the relative tables, 2 reach + 1; 0 without tables.
  Index distances() const {
    return relative_keys ? relative_keys.dim(0) : relative_values ? relative_values.dim(0) : 0;
  }
  /// The position of a query among the keys without the extra ones: the last query is aligned with
  /// the last key.
  Index position(Index query) const { return n.keys - extra - n.queries + query; }
  /// How many keys, counted from the first, causality lets a query see.
  Index seen(Index query) const {
    return causal ? extra + std::clamp<Index>(position(query) + 1, 0, n.keys - extra) : n.keys;
  }

  /// Where the tile begins that has the first key which the window lets a query see; every query
  /// sees the extra keys, at the front.
  Index first_tile(Index query) const {
    if (window == 0 || extra > 0) return 0;
    const Index tile = std::min(key_tile, n.keys);
    return std::max<Index>(position(query) - window + 1, 0) / tile * tile;
  }

  /// The first query that causality lets see key j.
  Index first_query_seeing(Index j) const {
    return causal && j >= extra ? std::max<Index>(j - extra - position(0), 0) : 0;
  }

  /// Calls work(first, end) on ranges of the heads of keys and values of all examples, numbered
  /// example by example, for threads that are free.
  template <class F>
  void parallel_heads(F work) const {
    const double products = 4.0 * static_cast<double>(n.batch * n.heads * n.queries) *
                            static_cast<double>(n.keys * (n.width + n.value_width));
    const Index all = n.batch * n.kv_heads;
    parallel_pieces(all, std::min(free_split(products), std::max<Index>(all, 1)), work);
  }
  /// Calls work(b, h) for the query heads that read those heads of keys and values.
  template <class F>
  void for_each_head(Index first, Index end, F work) const {
    const Index group = n.heads / n.kv_heads;
    for (Index i = first * group; i < end * group; ++i) work(i / n.heads, i % n.heads);
  }
};
/// The matrices of all heads in one buffer: element (time, i) of a head is
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
/// Gradients besides those of q, k and v: null where they are not wanted. The caller has zeroed
/// them.
template <class T>
struct AttentionGradients {
  std::vector<T*> masks;  // one for each mask of the plan, laid out alike
  T* relative_keys;
  T* relative_values;
  double* factors;  // (batch, heads): of the factors of the scores
};

}  // namespace tapehead
