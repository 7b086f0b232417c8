// Attention head by head, in blocks of queries: only a block's scores exist at a time, so that
// memory grows with the sequence, not with its square, and a causal block skips the keys that none
// of its queries sees. Backward computes the scores again from the saved log-sum-exp.
#include <tapehead/core/attention_kernel.hpp>
#include <tapehead/core/simd.hpp>

#include <cmath>

namespace tapehead {
namespace {

constexpr Index block_rows = 32;

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

/// Whether all elements are finite: x * 0 is NaN for those that aren't.
template <class T>
bool all_finite(const Matrix<const T>& x) {
  for (Index i = 0; i < x.rows; ++i)
    if (!(sum_row(
              x.columns, [](auto v) { return v * T{0}; }, x.data + i * x.stride) == 0))
      return false;
  return true;
}

/// c = factor * w x (+= with `accumulate`), where an element of x that isn't finite counts only
/// under a weight that isn't zero: 0 * NaN is NaN, but a masked-out key must not be seen.
template <class T>
void weigh(const Matrix<const T>& w, const Matrix<const T>& x, const Matrix<T>& c, T factor,
           bool accumulate, bool finite) {
  if (finite) return gemm(w, x, c, factor, accumulate);
  for (Index i = 0; i < c.rows; ++i) {
    T* row = c.data + i * c.stride;
    if (!accumulate) std::fill_n(row, c.columns, T{0});
    for (Index j = 0; j < x.rows; ++j) {
      const T weight =
          factor * (w.transposed ? w.data[j * w.stride + i] : w.data[i * w.stride + j]);
      if (weight == 0) continue;
      for (Index l = 0; l < c.columns; ++l) row[l] += weight * x.data[j * x.stride + l];
    }
  }
}

/// One head of one example, and scratch for a block of its queries.
template <class T>
struct Head {
  const AttentionPlan& plan;
  Index b, h;

  /// Applies the mask to the scores of one query; those masked out become minus infinity.
  void mask_row(T* scores, Index query, Index seen) const {
    if (!plan.mask) return;
    const Shape& strides = plan.mask_strides;
    const Index offset = b * strides[0] + h * strides[1] + query * strides[2];
    if (plan.mask.is_float()) {
      const T* added = plan.mask.data<T>() + offset;
      for (Index j = 0; j < seen; ++j) {
        const T bias = added[j * strides[3]];
        scores[j] = bias == minus_infinity<T> ? bias : scores[j] + bias;
      }
    } else {
      const auto* may = plan.mask.data<std::int32_t>() + offset;
      for (Index j = 0; j < seen; ++j)
        if (!may[j * strides[3]]) scores[j] = minus_infinity<T>;
    }
  }

  /// Scores to weights, their softmax; returns the logarithm of the sum of exponentials. A row that
  /// may attend to nothing gets zeros, and minus infinity.
  static T softmax_row(T* row, Index seen, Index width) {
    const T top = max_row(static_cast<const T*>(row), seen);
    if (top == minus_infinity<T>) {
      std::fill_n(row, width, T{0});
      return top;
    }
    exponentials(row, seen, width, top);
    const T sum = sum_row(static_cast<const T*>(row), seen);
    const Vec<T> share(1 / sum);
    map_row(
        row, seen, [&](auto v) { return v * share; }, static_cast<const T*>(row));
    return top + std::log(sum);
  }

  /// Scores to weights again, in backward: exp(scores - lse), and zeros after those seen.
  static void exponentials(T* row, Index seen, Index width, T lse) {
    if (lse == minus_infinity<T>) seen = 0;
    const Vec<T> shift(lse);
    map_row(
        row, seen, [&](auto v) { return exp(v - shift); }, static_cast<const T*>(row));
    std::fill(row + seen, row + width, T{0});
  }

  /// keep[j] = 1 / (1 - p) where the weight of key j stays, 0 where it is dropped. The numbers are
  /// those that `dropout` draws for the same element of (batch, heads, queries, keys).
  void dropout_row(T* keep, Index query, Index seen) const {
    const AttentionSizes& n = plan.n;
    const Index first = (h * n.queries + query) * n.keys, skip = first % 4;
    const auto threshold = static_cast<std::uint64_t>(plan.dropout * 0x1p32);
    const T scale = plan.dropout < 1 ? static_cast<T>(1 / (1 - plan.dropout)) : T{0};
    RandomKey key = plan.key;
    key.example += static_cast<std::uint32_t>(b);
    std::uint32_t bits[256];
    for (Index at = 0; at < seen + skip; at += 256) {
      const Index count = std::min<Index>(256, seen + skip - at);
      random_bits(key, first - skip + at, count, bits);
      for (Index i = at == 0 ? skip : 0; i < count; ++i)
        keep[at + i - skip] = bits[i] >= threshold ? scale : T{0};
    }
  }
};

template <class T>
void multiply_row(T* y, const T* x, Index n) {
  map_row(
      y, n, [](auto a, auto b) { return a * b; }, static_cast<const T*>(y), x);
}

}  // namespace

template <class T>
void AttentionKernel<T>::forward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                                 const HeadView<T>& y, T* lse, T* weights) {
  const AttentionSizes& n = plan.n;
  Tensor scratch = Tensor::empty({block_rows + 1, n.keys}, dtype_of<T>());
  T *scores = scratch.fresh<T>(), *keep = scores + block_rows * n.keys;
  for (Index b = 0; b < n.batch; ++b)
    for (Index h = 0; h < n.heads; ++h) {
      const Head<T> head{plan, b, h};
      const T factor = static_cast<T>(plan.factors[static_cast<std::size_t>(h)]);
      const bool finite = all_finite(x.v(b, h, 0, n.keys, n.value_width));
      for (Index first = 0; first < n.queries; first += block_rows) {
        const Index rows = std::min(block_rows, n.queries - first);
        const Index width = plan.seen(first + rows - 1);  // no query of the block sees more keys
        const Matrix<T> s = matrix(scores, rows, width);
        gemm(x.q(b, h, first, rows, n.width), x.k(b, h, 0, width, n.width).t(), s, factor);
        for (Index i = 0; i < rows; ++i) {
          const Index query = first + i, seen = plan.seen(query);
          const Index row = (b * n.heads + h) * n.queries + query;
          T* const p = scores + i * width;
          head.mask_row(p, query, seen);
          lse[row] = Head<T>::softmax_row(p, seen, width);
          if (plan.dropout > 0) {
            head.dropout_row(keep, query, seen);
            multiply_row(p, keep, seen);
          }
          if (weights) std::copy_n(p, seen, weights + row * n.keys);
        }
        weigh<T>(s, x.v(b, h, 0, width, n.value_width), y(b, h, first, rows, n.value_width), T{1},
                 false, finite);
      }
    }
}

template <class T>
void AttentionKernel<T>::backward(const AttentionPlan& plan, const AttentionInputs<const T>& x,
                                  const HeadView<const T>& y, const HeadView<const T>& dy,
                                  const T* lse, const AttentionInputs<T>& dx, T* dmask,
                                  double* ds) {
  const AttentionSizes& n = plan.n;
  const Index block = block_rows * n.keys;
  Tensor scratch = Tensor::empty({3 * block_rows + 1, n.keys}, dtype_of<T>());
  T *weights = scratch.fresh<T>(), *dweights = weights + block, *raw = dweights + block,
    *keep = raw + block;
  for (Index b = 0; b < n.batch; ++b)
    for (Index h = 0; h < n.heads; ++h) {
      const Head<T> head{plan, b, h};
      const T factor = static_cast<T>(plan.factors[static_cast<std::size_t>(h)]);
      const bool finite = all_finite(x.q(b, h, 0, n.queries, n.width)) &&
                          all_finite(x.k(b, h, 0, n.keys, n.width)) &&
                          all_finite(dy(b, h, 0, n.queries, n.value_width));
      for (Index j = 0; j < n.keys; ++j) {  // sums over the blocks of queries
        std::fill_n(dx.k(b, h, j, 1, n.width).data, n.width, T{0});
        std::fill_n(dx.v(b, h, j, 1, n.value_width).data, n.value_width, T{0});
      }
      for (Index first = 0; first < n.queries; first += block_rows) {
        const Index rows = std::min(block_rows, n.queries - first);
        const Index width = plan.seen(first + rows - 1);
        const Matrix<const T> q = x.q(b, h, first, rows, n.width), k = x.k(b, h, 0, width, n.width);
        const Matrix<const T> v = x.v(b, h, 0, width, n.value_width);
        const Matrix<const T> dout = dy(b, h, first, rows, n.value_width);
        const Matrix<const T> out = y(b, h, first, rows, n.value_width);
        const Matrix<T> w = matrix(weights, rows, width), dw = matrix(dweights, rows, width);
        gemm(q, k.t(), w, factor);
        gemm(dout, v.t(), dw);
        if (ds) std::copy_n(weights, rows * width, raw);
        for (Index i = 0; i < rows; ++i) {
          const Index query = first + i, seen = plan.seen(query);
          const Index row = (b * n.heads + h) * n.queries + query;
          T *const p = weights + i * width, *const dp = dweights + i * width;
          head.mask_row(p, query, seen);
          head.exponentials(p, seen, width, lse[row]);
          std::fill(dp + seen, dp + width, T{0});
          if (plan.dropout > 0) {
            head.dropout_row(keep, query, seen);
            multiply_row(dp, keep, seen);
          }
          // The softmax's rule: dscore = p (dp - sum(p dp)), the sum being dy . y.
          const Vec<T> mean(sum_row(
              n.value_width, [](auto a, auto c) { return a * c; }, dout.data + i * dout.stride,
              out.data + i * out.stride));
          const Vec<T> none(T{0});
          map_row(
              dp, seen,
              [&](auto g, auto a) { return xsimd::select(a == none, none, a * (g - mean)); },
              static_cast<const T*>(dp), static_cast<const T*>(p));
          if (ds)
            for (Index j = 0; j < seen; ++j)
              if (dp[j] != 0) ds[h] += static_cast<double>(dp[j]) * raw[i * width + j];
          if (dmask) std::copy_n(dp, seen, dmask + row * n.keys);
          if (plan.dropout > 0) multiply_row(p, keep, seen);
        }
        weigh<T>(dw, k, dx.q(b, h, first, rows, n.width), factor, false, finite);
        weigh<T>(dw.t(), q, dx.k(b, h, 0, width, n.width), factor, true, finite);
        weigh<T>(w.t(), dout, dx.v(b, h, 0, width, n.value_width), T{1}, true, finite);
      }
    }
}

template struct AttentionKernel<float>;
template struct AttentionKernel<double>;

}  // namespace tapehead
