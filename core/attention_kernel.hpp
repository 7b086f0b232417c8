#pragma once
#include <tapehead/core/gemm.hpp>
#include <tapehead/core/random.hpp>

#include <algorithm>
#include <vector>

namespace tapehead {

struct AttentionSizes {
  Index batch, heads, queries, keys, width, value_width;
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

/// What both directions of the kernel need besides numbers.
struct AttentionPlan {
  AttentionSizes n;
  bool causal = false;
  Tensor mask;  // none, or four axes that broadcast; i32 boolean, or added
  Shape mask_strides;
  std::vector<double> factors;          // of the scores, a head each: exp(s) / sqrt(width)
  std::vector<bool> temperature_moves;  // a head each: s isn't held by its clamp
  double dropout = 0;
  RandomKey key;

  /// How many keys a query sees, by causality: aligned at the end.
  Index seen(Index query) const {
    return causal ? std::clamp<Index>(n.keys - n.queries + query + 1, 0, n.keys) : n.keys;
  }
};

template <class T>
struct AttentionKernel {
  /// y = weights v, and the logarithm of each row's sum of exponentials, (batch, heads, queries);
  /// the weights too where they are wanted, (batch, heads, queries, keys), zero before.
  static void forward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                      const HeadView<T>& y, T* lse, T* weights);

  /// Fills dx; dmask (batch, heads, queries, keys), zero before, and the gradient of each head's
  /// log-multiplier, ds (heads), where they are wanted.
  static void backward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                       const HeadView<const T>& y, const HeadView<const T>& dy, const T* lse,
                       const AttentionInputs<T>& dx, T* dmask, double* ds);
};

}  // namespace tapehead
