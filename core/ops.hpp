#pragma once
// Every op, by family. Each is differentiable in its float inputs unless it says otherwise. A NaN
// that decides a result gets NaN as its gradient, even where the op only chooses among its inputs.
// Each op has a row in the table that `tapehead gradcheck` and the tests go through.
#include "dispatch.hpp"
#include "random.hpp"
#include "tape_stack.hpp"

namespace tapehead {

// ---- arithmetic: element by element, broadcasting as NumPy does; both operands of the same type.
// add, sub, mul, pow, maximum, minimum and clamp take i32 too, without a gradient; what doesn't fit
// is an error.
Tensor add(const Tensor& a, const Tensor& b);
Tensor add(const Tensor& a, Tensor&& b);  ///< reuses b's memory if nothing else holds it
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
/// a^b. a's gradient is 0 where b is 0; b's needs a > 0, or a = 0 and b >= 0, where it is 0.
/// Throws ValueError for a negative exponent of i32.
Tensor pow(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, const Tensor& b);  ///< a tie splits the gradient equally
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor neg(const Tensor& x);
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor log1p(const Tensor& x);  ///< log(1 + x), accurate near 0
Tensor sqrt(const Tensor& x);
Tensor abs(const Tensor& x);  ///< gradient 0 at 0
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor erf(const Tensor& x);
Tensor clamp(const Tensor& x, double low, double high);  ///< gradient passes where low <= x <= high
/// a where the mask is true, b elsewhere. A NaN in the element that isn't taken has no effect on
/// the result or the gradients. The mask is i32, 0 or 1, else it throws; all three broadcast.
Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b);
Tensor masked_fill(const Tensor& x, const Tensor& mask,
                   double value);           ///< value where mask is true
Tensor cast(const Tensor& x, DType dtype);  ///< to bf16 by rounding an f32; that has no gradient

// ---- comparison: i32 results, 0 or 1; no gradient
Tensor equal(const Tensor& a, const Tensor& b);
Tensor less(const Tensor& a, const Tensor& b);
Tensor less_equal(const Tensor& a, const Tensor& b);

// ---- activations
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor relu(const Tensor& x);      ///< gradient 0 at 0
Tensor silu(const Tensor& x);      ///< x sigmoid(x)
Tensor softplus(const Tensor& x);  ///< log(1 + exp(x)), which never overflows
enum class Gelu { tanh, erf };
/// x Phi(x) (Hendrycks and Gimpel): exact by erf, or GPT-2's approximation by tanh.
Tensor gelu(const Tensor& x, Gelu form = Gelu::tanh);

// ---- reduction over all axes, or over `axes` (negative from the end; {} reduces nothing)
using Axes = std::vector<int>;
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, const Axes& axes, bool keep = false);
Tensor mean(const Tensor& x);  ///< NaN without elements
Tensor mean(const Tensor& x, const Axes& axes, bool keep = false);
/// The maximum; ties split the gradient. Throws ShapeError if there are no elements.
Tensor amax(const Tensor& x);
Tensor amax(const Tensor& x, const Axes& axes, bool keep = false);
/// The sum of squared distances from the mean, divided by n - correction.
Tensor var(const Tensor& x);
Tensor var(const Tensor& x, const Axes& axes, bool keep = false, int correction = 0);
/// Sums x over the axes along which `shape` would be broadcast to that of x: the gradient of
/// broadcast_to.
Tensor sum_to(const Tensor& x, const Shape& shape);
/// The sums of the elements up to each along an axis, or, if `back` is set, from each to the end.
/// In f32 too they are added in f64.
Tensor cumsum(const Tensor& x, int axis = -1, bool back = false);
/// The place of the largest element along an axis, i32; the first of equal ones. A NaN counts as
/// larger than any number. No gradient. Throws ShapeError if there are no elements.
Tensor argmax(const Tensor& x, int axis = -1, bool keep = false);
struct TopK {
  Tensor values;  ///< (..., k), the largest first
  Tensor ids;     ///< where they are along the last axis, i32; no gradient
};
/// The k largest elements along the last axis, ordered as argmax has it.
TopK top_k(const Tensor& x, Index k);

// ---- layout
Tensor reshape(const Tensor& x, const Shape& shape);               ///< shares the elements
Tensor reshape(const Tensor& x, const std::vector<Index>& sizes);  ///< one size may be -1
inline Tensor reshape(const Tensor& x, std::initializer_list<Index> sizes) {
  return reshape(x, std::vector<Index>(sizes));
}
Tensor permute(const Tensor& x, const Axes& order);  ///< axis i of the result is order[i] of x
Tensor transpose(const Tensor& x, int a = -2, int b = -1);  ///< swaps two axes
Tensor broadcast_to(const Tensor& x, const Shape& shape);
Tensor slice(const Tensor& x, int axis, Index begin, Index end);   ///< negative from the end
Tensor pad(const Tensor& x, int axis, Index before, Index after);  ///< with zeros
Tensor concat(const std::vector<Tensor>& parts, int axis);
Tensor stack(const std::vector<Tensor>& parts, int axis = 0);       ///< along a new axis
std::vector<Tensor> split(const Tensor& x, Index parts, int axis);  ///< into equal parts
/// Rows of a table (rows, ...) by i32 ids of any shape -> ids.shape + (...): an embedding. Rows of
/// a bf16 table become f32.
Tensor gather_rows(const Tensor& table, const Tensor& ids);
/// Adds each row of x, ids.shape + (...), to row ids[i] of zeros (rows, ...): the gradient of
/// gather_rows.
Tensor scatter_rows(const Tensor& x, const Tensor& ids, Index rows);
/// Elements of x by their places along an axis, i32 ids, whose other axes are those of x:
/// y[i][j] = x[i][ids[i][j]] along the last.
Tensor gather(const Tensor& x, const Tensor& ids, int axis = -1);

// ---- constants
Tensor arange(Index n, DType dtype = DType::i32);  ///< 0, 1, ..., n - 1
Tensor one_hot(const Tensor& ids, Index classes,
               DType dtype = DType::f32);  ///< (...) -> (..., classes)
/// i32 masks (rows, columns): 1 on and below the given diagonal, or on and above it; 0 elsewhere.
Tensor tril_mask(Index rows, Index columns, Index diagonal = 0);
Tensor triu_mask(Index rows, Index columns, Index diagonal = 0);

// ---- products
/// (..., m, k) x (..., k, n) -> (..., m, n); leading axes broadcast. Vectors are not special.
Tensor matmul(const Tensor& a, const Tensor& b, Precision precision = Precision::f32);
/// x (..., in), weight (out, in), bias (out) or none -> (..., out). A weight of bf16 gives the bits
/// of one that holds the same numbers in f32, and no gradients.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              Precision precision = Precision::f32);

// ---- normalisation
Tensor softmax(const Tensor& x, int axis = -1);  ///< a row of minus infinities gives zeros
Tensor log_softmax(const Tensor& x, int axis = -1);
/// Where an element is infinite, its own gradient is NaN and that of smaller ones 0.
Tensor logsumexp(const Tensor& x, int axis = -1, bool keep = false);
/// Over the last axis: (x - mean) / sqrt(var + epsilon) * gain + bias; both (width), or neither.
Tensor layer_norm(const Tensor& x, const Tensor& gain = {}, const Tensor& bias = {},
                  double epsilon = 1e-5);
/// Over the last axis: x / sqrt(mean(x^2) + epsilon) * gain, (width) (Zhang and Sennrich). With a
/// gain (heads, width), the first `heads` parts of `width` columns of a row are normalised
/// independently, and the columns after them are copied.
Tensor rms_norm(const Tensor& x, const Tensor& gain = {}, double epsilon = 1e-5);
/// Zeroes each element with probability p, rounded to a multiple of 2^-16, and multiplies the
/// others by 1 / (1 - p). Row i along axis 0 draws from example key.example + i, on whichever
/// thread it is computed.
Tensor dropout(const Tensor& x, double p, const RandomKey& key);

// ---- losses
enum class Reduction { mean, sum, none };
struct CrossEntropyOptions {
  Index ignored = -1;          ///< targets with this id are ignored
  double label_smoothing = 0;  ///< this fraction of the target is spread evenly over all classes
  /// The mean is over the others, NaN if there are none. Without a reduction each target has a
  /// loss, 0 if it is ignored.
  Reduction reduction = Reduction::mean;
};
/// logits (..., classes), i32 targets (...) -> (), in nats; without a reduction (...)
Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options = {});
Tensor mse(const Tensor& x, const Tensor& target,
           Reduction reduction = Reduction::mean);  ///< -> (), or x's shape

// ---- attention
struct AttentionOptions {
  bool causal = false;     ///< aligned at the end: the last query sees every key
  bool hide_self = false;  ///< no query sees the key at its own position
  Index window = 0;        ///< keys at this distance or farther are hidden; 0: none is
  /// i32: 1 where a query may attend. Or of the scores' type: added to the scores. Broadcasts to
  /// (batch, heads, queries, keys); rank 3 is (batch, queries, keys) or (batch * heads, ...).
  Tensor mask = {};
  Tensor key_mask = {};            ///< the same for each key, (batch, keys): padding
  bool mask_before_scale = false;  ///< added masks are scaled along with q k^T
  /// A bias by distance, (heads or 1, queries + keys - 1): element keys - 1 + j - i is added to the
  /// score of the query at position i and the key at position j. The last query and the last key
  /// have the same position.
  Tensor bias = {};
  /// Tables (2 reach + 1, d or e): row reach + clamp(j - i, -reach, reach) is added to key j, and
  /// to value j, for the query at position i (Shaw, Uszkoreit and Vaswani).
  Tensor relative_keys = {}, relative_values = {};
  /// This many keys at the front have no position: every query sees them, and masks, biases and
  /// relative tables don't apply to them. Elsewhere in these options `keys` counts the others
  /// alone.
  Index extra = 0;
  Tensor scale = {};  ///< () or (heads): multiplies the scores instead of 1 / sqrt(d)
  /// s, of shape () or (heads): multiplies the scores by temperature_multiplier(s).
  Tensor temperature = {};
  double dropout = 0;  ///< on the weights after the softmax
  RandomKey key = {};
  /// If not null, set to the weights that were used, (batch, heads, queries, extra + keys).
  Tensor* weights = nullptr;
  /// If set, called once with those weights, before dropout, and returns what is used in their
  /// place. If it returns them as they were, the result has the kernel's bits.
  std::function<Tensor(const Tensor& weights)> replace = {};
};
/// A learned temperature s multiplies the scores by exp(s), with s clamped to +-log(100): by 1/100
/// to 100.
constexpr double max_temperature_exponent = 4.605170185988092;
double temperature_multiplier(double s);
/// softmax(q k^T / sqrt(d) * exp(s) + mask) v, for each head:
/// q (batch, heads, queries, d), k (batch, kv_heads, keys, d), v (batch, kv_heads, keys, e)
/// -> (batch, heads, queries, e). kv_heads divides heads: adjacent heads share keys and values. A
/// query that may attend to nothing gets zeros. All inputs, relative tables and added masks have
/// gradients. The weights are never stored as a whole unless they are asked for.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options = {});
/// The same with the heads side by side: q (batch, queries, heads * d),
/// k (batch, keys, kv_heads * d), v (batch, keys, kv_heads * e) -> (batch, queries, heads * e).
/// Nothing is transposed or copied.
Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index heads,
                            Index kv_heads, const AttentionOptions& options = {});
/// The same on a joint projection (batch, time, (heads + 2 kv_heads) d), q then k then v
/// -> (batch, time, heads * d).
Tensor self_attention(const Tensor& qkv, Index heads, Index kv_heads,
                      const AttentionOptions& options = {});
/// x (batch, time, columns), whose first `heads` heads of `width` columns each are rotated by their
/// position (Su et al., "RoFormer"): elements i and i + width / 2 of a head form a pair, which is
/// rotated by the angle (first + t) base^(-2i / width), or by its opposite if `back` is set. The
/// columns after those heads are copied. The product of a rotated query and a rotated key depends
/// only on their distance.
Tensor rotary(const Tensor& x, Index heads, Index width, Index first = 0, double base = 10000,
              bool back = false);

// ---- operators; a number stands for a scalar of the tensor's type
/// If the tensor beside it is null, which the op refuses by name, the type doesn't matter.
inline Tensor number(double x, const Tensor& beside) {
  return scalar(x, beside ? beside.dtype() : DType::f32);
}
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, Tensor&& b) { return add(a, std::move(b)); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator+(const Tensor& a, double b) { return add(a, number(b, a)); }
inline Tensor operator-(const Tensor& a, double b) { return sub(a, number(b, a)); }
inline Tensor operator*(const Tensor& a, double b) { return mul(a, number(b, a)); }
inline Tensor operator/(const Tensor& a, double b) { return div(a, number(b, a)); }
inline Tensor operator+(double a, const Tensor& b) { return add(number(a, b), b); }
inline Tensor operator-(double a, const Tensor& b) { return sub(number(a, b), b); }
inline Tensor operator*(double a, const Tensor& b) { return mul(number(a, b), b); }
inline Tensor operator/(double a, const Tensor& b) { return div(number(a, b), b); }
inline Tensor pow(const Tensor& a, double b) { return pow(a, number(b, a)); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return less(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return less_equal(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return less(b, a); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return less_equal(b, a); }
inline Tensor operator<(const Tensor& a, double b) { return less(a, number(b, a)); }
inline Tensor operator<=(const Tensor& a, double b) { return less_equal(a, number(b, a)); }
inline Tensor operator>(const Tensor& a, double b) { return less(number(b, a), a); }
inline Tensor operator>=(const Tensor& a, double b) { return less_equal(number(b, a), a); }

}  // namespace tapehead
