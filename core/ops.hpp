#pragma once
// All ops, by family. An op is differentiable in its float inputs unless its comment says
// otherwise. An input of NaN that determines a result gets a NaN gradient, even if the op only
// selects among its inputs. `tapehead gradcheck` and the tests check every op.
#include "dispatch.hpp"
#include "random.hpp"
#include "tape_stack.hpp"

namespace tapehead {

// ---- arithmetic: element-wise with NumPy broadcasting; both operands must have the same type.
// add, sub, mul, pow, maximum, minimum and clamp also take i32, without a gradient. They throw
// ValueError on i32 overflow.
Tensor add(const Tensor& a, const Tensor& b);
Tensor add(const Tensor& a, Tensor&& b);  ///< reuses b's memory if no other handle shares it
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
/// Computes a^b. The gradient of a is 0 where b is 0. The gradient of b is defined for a > 0, and
/// it is 0 where a = 0 and b >= 0. Throws ValueError for a negative i32 exponent.
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
Tensor clamp(const Tensor& x, double low, double high);  ///< gradient 0 outside [low, high]
/// Selects a where the mask is 1 and b where it is 0. A NaN in the input that isn't selected
/// affects neither the result nor the gradients. The inputs are broadcast. Throws TypeError unless
/// the mask is i32, and ValueError if the mask has elements other than 0 and 1.
Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b);
Tensor masked_fill(const Tensor& x, const Tensor& mask,
                   double value);           ///< `value` where the mask is 1
Tensor cast(const Tensor& x, DType dtype);  ///< bf16 only from f32, without a gradient

// ---- comparison: i32 results, 0 or 1; no gradient
Tensor equal(const Tensor& a, const Tensor& b);
Tensor less(const Tensor& a, const Tensor& b);
Tensor less_equal(const Tensor& a, const Tensor& b);

// ---- activations
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor relu(const Tensor& x);      ///< gradient 0 at 0
Tensor silu(const Tensor& x);      ///< x sigmoid(x)
Tensor softplus(const Tensor& x);  ///< log(1 + exp(x)), without overflow
enum class Gelu { tanh, erf };
/// Computes x Phi(x) (Hendrycks and Gimpel), exactly with erf, or with the tanh approximation of
/// GPT-2.
Tensor gelu(const Tensor& x, Gelu form = Gelu::tanh);

// ---- reduction over all axes, or over `axes` (negative: from the end; {}: no axis)
using Axes = std::vector<int>;
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, const Axes& axes, bool keep = false);
Tensor mean(const Tensor& x);  ///< NaN if there are no elements
Tensor mean(const Tensor& x, const Axes& axes, bool keep = false);
/// Computes the maximum. Equal maxima share the gradient equally. Throws ShapeError if x has no
/// elements.
Tensor amax(const Tensor& x);
Tensor amax(const Tensor& x, const Axes& axes, bool keep = false);
/// Computes the variance: the sum of squared distances from the mean, divided by n - correction,
/// where n is the number of elements.
Tensor var(const Tensor& x);
Tensor var(const Tensor& x, const Axes& axes, bool keep = false, int correction = 0);
/// Sums x to `shape`, which must broadcast to the shape of x. This is the gradient of broadcast_to.
Tensor sum_to(const Tensor& x, const Shape& shape);
/// Computes cumulative sums along an axis; with `back`, from the end to the start. Adds in f64,
/// also for f32.
Tensor cumsum(const Tensor& x, int axis = -1, bool back = false);
/// Returns the i32 index of the largest element along an axis, the first one in a tie. A NaN counts
/// as larger than any number. No gradient. Throws ShapeError if the axis has no elements.
Tensor argmax(const Tensor& x, int axis = -1, bool keep = false);
struct TopK {
  Tensor values;  ///< (..., k), the largest first
  Tensor ids;     ///< their i32 indices along the last axis; no gradient
};
/// Returns the k largest elements along the last axis. Treats ties and NaN like argmax.
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
Tensor slice(const Tensor& x, int axis, Index begin, Index end);   ///< also negative indices
Tensor pad(const Tensor& x, int axis, Index before, Index after);  ///< with zeros
Tensor concat(const std::vector<Tensor>& parts, int axis);
Tensor stack(const std::vector<Tensor>& parts, int axis = 0);       ///< along a new axis
std::vector<Tensor> split(const Tensor& x, Index parts, int axis);  ///< into equal parts
/// Looks up rows of a table, as an embedding does: a table (rows, ...) and i32 ids of any shape ->
/// ids.shape + (...). Rows of a bf16 table become f32.
Tensor gather_rows(const Tensor& table, const Tensor& ids);
/// Makes a tensor of zeros (rows, ...), and adds each row i of x, ids.shape + (...), to its row
/// ids[i]. This is the gradient of gather_rows.
Tensor scatter_rows(const Tensor& x, const Tensor& ids, Index rows);
/// Selects elements of x along an axis by i32 ids. For the last axis, y[i][j] = x[i][ids[i][j]].
/// Along the other axes, x and ids have the same sizes.
Tensor gather(const Tensor& x, const Tensor& ids, int axis = -1);

// ---- constants
Tensor arange(Index n, DType dtype = DType::i32);  ///< 0, 1, ..., n - 1
Tensor one_hot(const Tensor& ids, Index classes,
               DType dtype = DType::f32);  ///< (...) -> (..., classes)
/// Return i32 masks (rows, columns): 1 on and below (tril) or on and above (triu) the diagonal,
/// else 0.
Tensor tril_mask(Index rows, Index columns, Index diagonal = 0);
Tensor triu_mask(Index rows, Index columns, Index diagonal = 0);

// ---- matmuls
/// Multiplies matrices: (..., m, k) x (..., k, n) -> (..., m, n). Leading axes are broadcast.
/// Throws ShapeError for vectors.
Tensor matmul(const Tensor& a, const Tensor& b, Precision precision = Precision::f32);
/// Computes x weight^T + bias: x (..., in), weight (out, in), bias (out) or null -> (..., out). A
/// bf16 weight has no gradient; the result is the same as with the weight converted to f32.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              Precision precision = Precision::f32);

// ---- normalisation
Tensor softmax(const Tensor& x, int axis = -1);  ///< a row of minus infinities gives zeros
Tensor log_softmax(const Tensor& x, int axis = -1);
/// Computes log(sum(exp(x))) along an axis. An element of plus infinity gets the gradient NaN, and
/// smaller elements get 0.
Tensor logsumexp(const Tensor& x, int axis = -1, bool keep = false);
/// Computes (x - mean) / sqrt(var + epsilon) * gain + bias over the last axis. gain and bias have
/// the shape (width), or are both null.
Tensor layer_norm(const Tensor& x, const Tensor& gain = {}, const Tensor& bias = {},
                  double epsilon = 1e-5);
/// Computes x / sqrt(mean(x^2) + epsilon) * gain over the last axis, with gain (width) (Zhang and
/// Sennrich). With a gain (heads, width), normalises the first `heads` groups of `width` columns of
/// each row independently, and copies the columns after them.
Tensor rms_norm(const Tensor& x, const Tensor& gain = {}, double epsilon = 1e-5);
/// Sets each element to 0 with probability p, and multiplies the others by 1 / (1 - p). p is
/// rounded to a multiple of 2^-16. Row i along axis 0 uses the random numbers of example
/// key.example + i, so the result doesn't depend on the number of threads.
Tensor dropout(const Tensor& x, double p, const RandomKey& key);

// ---- losses
enum class Reduction { mean, sum, none };
struct CrossEntropyOptions {
  Index ignored = -1;          ///< targets with this id don't count
  double label_smoothing = 0;  ///< fraction of a target that is spread over all classes
  /// `mean` is the mean over all targets that aren't ignored, or NaN if there are none. `none`
  /// returns a loss for each target, 0 for an ignored one.
  Reduction reduction = Reduction::mean;
};
/// Computes the cross-entropy in nats: logits (..., classes), i32 targets (...) -> (), or (...) if
/// the reduction is `none`.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options = {});
Tensor mse(const Tensor& x, const Tensor& target,
           Reduction reduction = Reduction::mean);  ///< with `none`: in x's shape

// ---- attention
struct AttentionOptions {
  /// Hide the keys after a query. The last query and the last key have the same position.
  bool causal = false;
  bool hide_self = false;  ///< hide the key at the query's own position
  Index window = 0;        ///< hide keys at this distance or farther; 0: no window
  /// An i32 mask with 1 where a query may attend to a key, or a float mask that is added to the
  /// scores. The mask broadcasts to (batch, heads, queries, keys). Rank 3 is (batch, queries, keys)
  /// or (batch * heads, queries, keys).
  Tensor mask = {};
  Tensor key_mask = {};            ///< a mask for each key, (batch, keys), for padding
  bool mask_before_scale = false;  ///< add float masks before scaling q k^T
  /// A bias for each distance, (heads or 1, queries + keys - 1): element keys - 1 + j - i is added
  /// to the score of the query at position i and the key at position j.
  Tensor bias = {};
  /// Tables (2 reach + 1, d) and (2 reach + 1, e): for the query at position i, row reach + clamp(j
  /// - i, -reach, reach) is added to key j or value j (Shaw, Uszkoreit and Vaswani).
  Tensor relative_keys = {}, relative_values = {};
  /// The number of leading keys that have no position. Every query sees these extra keys; masks,
  /// biases and relative tables don't apply to them. In the shapes of the other options, `keys`
  /// excludes them.
  Index extra = 0;
  Tensor scale = {};  ///< () or (heads): multiplies the scores instead of 1 / sqrt(d)
  /// Multiplies the scores by temperature_multiplier(s), where s is this tensor, of shape () or
  /// (heads).
  Tensor temperature = {};
  double dropout = 0;  ///< dropout probability of the weights after the softmax
  RandomKey key = {};
  /// If not null, receives the final attention weights, (batch, heads, queries, extra + keys).
  Tensor* weights = nullptr;
  /// If set, attention calls this function once with the weights before dropout, and uses the
  /// weights that it returns. If it returns them unchanged, the result of attention is bitwise
  /// identical.
  std::function<Tensor(const Tensor& weights)> replace = {};
};
/// The bound of |s| for a learned temperature s: log(100). So exp(s), the factor of the scores, is
/// from 1/100 to 100.
constexpr double max_temperature_exponent = 4.605170185988092;
/// Returns exp(s), with s clamped to +-max_temperature_exponent.
double temperature_multiplier(double s);
/// Computes softmax(q k^T / sqrt(d) * exp(s) + mask) v for each head: q (batch, heads, queries, d),
/// k (batch, kv_heads, keys, d), v (batch, kv_heads, keys, e) -> (batch, heads, queries, e).
/// kv_heads divides heads: adjacent heads share keys and values. A query that may attend to no key
/// gets zeros. s is `options.temperature`, or 0 without it. All float tensors have gradients,
/// including those in `options`. The matrix of weights is stored only if `weights` or `replace` is
/// set.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options = {});
/// Computes attention with concatenated heads: q (batch, queries, heads * d), k (batch, keys,
/// kv_heads * d), v (batch, keys, kv_heads * e) -> (batch, queries, heads * e). Transposes and
/// copies nothing.
Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index heads,
                            Index kv_heads, const AttentionOptions& options = {});
/// Computes attention from a joint projection (batch, time, (heads + 2 kv_heads) d), with the
/// columns of q, then k, then v -> (batch, time, heads * d).
Tensor self_attention(const Tensor& qkv, Index heads, Index kv_heads,
                      const AttentionOptions& options = {});
/// Rotates the first `heads` heads of `width` columns of x (batch, time, columns) by angles that
/// depend on the position (Su et al., "RoFormer"). Elements i and i + width / 2 of a head form a
/// pair. At time t, pair i is rotated by the angle (first + t) base^(-2i / width), or by the
/// opposite angle if `back` is set. The columns after the heads are copied. So the dot product of a
/// rotated query and key depends only on the distance of their positions.
Tensor rotary(const Tensor& x, Index heads, Index width, Index first = 0, double base = 10000,
              bool back = false);

// ---- recurrence
/// Computes y with (I + L) y = b for each pair of matrices a (..., n, n) and b (..., n, width) with
/// equal leading axes. L is the part of a below the diagonal; the rest of a isn't read. With
/// `back`, solves (I + L)^T y = b.
Tensor solve_unit_lower(const Tensor& a, const Tensor& b, bool back = false);
/// Runs an LSTM (Hochreiter and Schmidhuber, with the forget gate of Gers et al.): x (batch, time,
/// 4 hidden), weight (4 hidden, hidden) -> h and c of all steps, (batch, time, 2 hidden). The
/// columns of x and the rows of `weight` belong to the gates i, f, g and o, in PyTorch's order:
///   (i, f, g, o) = x_t + W h, with sigmoids of i, f and o, and tanh of g
///   c = f c + i g, h = o tanh(c)
/// `start` has the h and c before the first step, (batch, 2 hidden); null: zeros.
Tensor lstm(const Tensor& x, const Tensor& weight, const Tensor& start = {});

// ---- operators; a number is converted to a scalar of the tensor's type
/// Returns x as a scalar of the other operand's type. If the other operand is null, the type
/// doesn't matter, because the op then throws.
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
