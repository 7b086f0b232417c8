#pragma once
// The arguments of the attention kernels: the plan (sizes and options), and the memory layout of
// inputs, result and gradients.
#include "../../numerics.hpp"
#include "../../random.hpp"
#include "../../runtime/parallel.hpp"
#include "../gemm/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tapehead {

using pinned::key_tile;
using pinned::query_block;

struct AttentionSizes {
  Index batch, heads, kv_heads;  // kv_heads divides heads
  Index queries, keys;           // `keys` includes the extra keys
  Index width, value_width;      // per head

  /// Returns the key-value head that query head h uses.
  Index kv_head(Index h) const { return h / (heads / kv_heads); }
};

/// A mask: a float tensor that is added to the scores, or an i32 tensor whose zeros hide scores.
/// The element for (b, h, query, key) is at index first + b * strides[0] + h * strides[1] + query *
/// strides[2] + key * strides[3]. Here `key` 0 is the first key after the extra keys.
struct AttentionMask {
  Tensor values;
  Index first;
  Index strides[4];
  bool before_scale;
};

/// The sizes and options of attention, for forward and backward.
struct AttentionPlan {
  AttentionSizes n;
  bool causal, hide_self;
  Index extra, window;
  std::vector<AttentionMask> masks;
  Tensor relative_keys, relative_values;  // (2 reach + 1, width), (2 reach + 1, value_width)
  std::vector<double> factors;            // factor of the scores for each head
  double dropout;
  RandomKey key;

  Index blocks() const {
    return (n.queries + query_block - 1) / query_block;
  }  ///< number of blocks of queries
  /// Returns whether forward saves the dropout mask for backward, with one bit per weight. With
  /// many more keys than key_tile, the bits would dominate the memory of backward. Then backward
  /// draws the mask again.
  bool saves_dropout_mask() const { return dropout > 0 && n.keys <= key_tile; }
  /// Returns the number of rows of the relative tables, 2 reach + 1, or 0 without tables.
  Index distances() const {
    return relative_keys ? relative_keys.dim(0) : relative_values ? relative_values.dim(0) : 0;
  }
  /// Returns the position of a query. Position 0 belongs to the first key after the extra keys, and
  /// the last query has the position of the last key.
  Index position(Index query) const { return n.keys - extra - n.queries + query; }
  /// Returns the number of keys that a query may see under causality, counted from the first key.
  Index seen(Index query) const {
    return causal ? extra + std::clamp<Index>(position(query) + 1, 0, n.keys - extra) : n.keys;
  }

  /// Returns the start of the tile that contains the first key in the window of a query. Returns 0
  /// if there are extra keys, because every query sees them.
  Index first_tile(Index query) const {
    if (window == 0 || extra > 0) return 0;
    const Index tile = std::min(key_tile, n.keys);
    return std::max<Index>(position(query) - window + 1, 0) / tile * tile;
  }

  /// Returns the first query that may see key j under causality.
  Index first_query_seeing(Index j) const {
    return causal && j >= extra ? std::max<Index>(j - extra - position(0), 0) : 0;
  }

  /// Splits the key-value heads of all examples, numbered example by example, into ranges. Calls
  /// work(first, end) for each range in parallel.
  template <class F>
  void parallel_heads(F work) const {
    const double products = 4.0 * static_cast<double>(n.batch * n.heads * n.queries) *
                            static_cast<double>(n.keys * (n.width + n.value_width));
    const Index all = n.batch * n.kv_heads;
    parallel_pieces(all, std::min(free_split(products), std::max<Index>(all, 1)), work);
  }
  /// Calls work(b, h) for each query head h of example b that uses one of the key-value heads
  /// `first` to `end` - 1, which are numbered as above.
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
/// The gradients of all inputs except q, k and v. A null pointer means that a gradient isn't
/// needed. The kernel adds to the gradients, so the caller must set them to 0 first.
template <class T>
struct AttentionGradients {
  std::vector<T*> masks;  // a gradient for each mask of the plan, with the mask's layout
  T* relative_keys;
  T* relative_values;
  double* factors;  // for the factors of the scores, (batch, heads)
};

}  // namespace tapehead
