#include "op_table.hpp"
#include "error.hpp"

#include <algorithm>

namespace tapehead {
namespace {

std::vector<OpRow>& rows() {
  static std::vector<OpRow> rows = {
      {"add", "arithmetic", "y = a + b", "da = dy, db = dy", "add(a, b)"},
      {"sub", "arithmetic", "y = a - b", "da = dy, db = -dy", "sub(a, b)"},
      {"mul", "arithmetic", "y = a b", "da = dy b, db = dy a", "mul(a, b)"},
      {"div", "arithmetic", "y = a / b", "da = dy / b, db = -dy y / b", "div(a, b)"},
      {"pow", "arithmetic", "y = a^b", "da = dy b a^(b - 1), db = dy y log(a)", "pow(a, b)"},
      {"maximum", "arithmetic", "y = max(a, b)",
       "da = dy where a > b, db = dy where b > a, dy / 2 each where they are equal",
       "maximum(a, b)"},
      {"minimum", "arithmetic", "y = min(a, b)",
       "da = dy where a < b, db = dy where b < a, dy / 2 each where they are equal",
       "minimum(a, b)"},
      {"neg", "arithmetic", "y = -x", "dx = -dy", "neg(x)"},
      {"exp", "arithmetic", "y = exp(x)", "dx = dy y", "exp(x)"},
      {"log", "arithmetic", "y = log(x)", "dx = dy / x", "log(x)"},
      {"log1p", "arithmetic", "y = log(1 + x)", "dx = dy / (1 + x)", "log1p(x)"},
      {"sqrt", "arithmetic", "y = sqrt(x)", "dx = dy / (2 y)", "sqrt(x)"},
      {"abs", "arithmetic", "y = |x|", "dx = dy sign(x)", "abs(x)"},
      {"sin", "arithmetic", "y = sin(x)", "dx = dy cos(x)", "sin(x)"},
      {"cos", "arithmetic", "y = cos(x)", "dx = -dy sin(x)", "cos(x)"},
      {"erf", "arithmetic", "y = 2 / sqrt(pi) times the integral of exp(-t^2) for t from 0 to x",
       "dx = dy 2 / sqrt(pi) exp(-x^2)", "erf(x)"},
      {"clamp", "arithmetic", "y = min(max(x, low), high)",
       "dx = dy where low <= x <= high, 0 elsewhere", "clamp(x, low=-inf, high=inf)"},
      {"where", "arithmetic", "y = a where the mask is true, b elsewhere",
       "da = dy where the mask is true, db = dy elsewhere", "where(mask, a, b)"},
      {"masked_fill", "arithmetic", "y = value where the mask is true, x elsewhere",
       "dx = 0 where the mask is true, dy elsewhere", "masked_fill(x, mask, value=)"},
      {"cast", "arithmetic",
       "y = x, each element as the nearest number of another type; a cast to i32 drops "
       "the fraction",
       "dx = dy in x's type", "cast(x, type=f64)"},
      {"equal", "comparison", "y = 1 where a = b, 0 elsewhere", "", "equal(a, b)"},
      {"less", "comparison", "y = 1 where a < b, 0 elsewhere", "", "less(a, b)"},
      {"less_equal", "comparison", "y = 1 where a <= b, 0 elsewhere", "", "less_equal(a, b)"},
      {"tanh", "activations", "y = tanh(x)", "dx = dy (1 - y^2)", "tanh(x)"},
      {"sigmoid", "activations", "y = 1 / (1 + exp(-x))", "dx = dy y (1 - y)", "sigmoid(x)"},
      {"relu", "activations", "y = max(x, 0)", "dx = dy where x > 0, 0 elsewhere", "relu(x)"},
      {"silu", "activations", "y = x sigmoid(x)", "dx = dy (s + x s (1 - s)), s = sigmoid(x)",
       "silu(x)"},
      {"softplus", "activations", "y = log(1 + exp(x))", "dx = dy sigmoid(x)", "softplus(x)"},
      {"gelu", "activations",
       "y = x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2, or (1 + tanh(sqrt(2 / pi) (x + 0.044715 "
       "x^3))) / 2",
       "dx = dy (Phi(x) + x Phi'(x))", "gelu(x, form=tanh)"},
      {"sum", "reduction", "y = sum(x) over all axes or some", "dx = dy, repeated along the axes",
       "sum(x, axes=all, keep=false)"},
      {"mean", "reduction", "y = sum(x) / n, n elements for each result",
       "dx = dy / n, repeated along the axes", "mean(x, axes=all, keep=false)"},
      {"amax", "reduction", "y = max(x) over all axes or some",
       "dx = dy / k where x = y, 0 elsewhere; k elements of x equal y",
       "amax(x, axes=all, keep=false)"},
      {"var", "reduction", "y = sum((x - mean(x))^2) / (n - correction)",
       "dx = dy 2 (x - mean(x)) / (n - correction)", "var(x, axes=all, keep=false, correction=0)"},
      {"sum_to", "reduction",
       "y = sum(x) over the axes along which y's shape would be broadcast to x's",
       "dx = dy, broadcast to x's shape", "sum_to(x, shape=)"},
      {"cumsum", "reduction", "y_i = sum of x_j over j <= i, or j >= i, along an axis",
       "dx = cumsum(dy) from the other end", "cumsum(x, axis=-1, back=false)"},
      {"argmax", "reduction", "y = the first place of max(x) along an axis", "",
       "argmax(x, axis=-1, keep=false)"},
      {"top_k", "reduction", "y = the k largest of x along the last axis, or their places, ids",
       "dx = dy at the ids, 0 elsewhere", "top_k(x, k=, part=values)"},
      {"reshape", "layout", "y = the elements of x, row by row, in another shape",
       "dx = dy in x's shape", "reshape(x, shape=)"},
      {"permute", "layout", "axis i of y is axis order[i] of x",
       "dx = dy with the axes in their original order", "permute(x, order=)"},
      {"transpose", "layout", "y = x with two axes swapped", "dx = dy with them swapped back",
       "transpose(x, a=-2, b=-1)"},
      {"broadcast_to", "layout", "y = x, repeated along new axes and those of size 1",
       "dx = dy summed over them", "broadcast_to(x, shape=)"},
      {"slice", "layout", "y = x[begin:end] along an axis", "dx = dy, padded with zeros",
       "slice(x, axis=0, begin=0, end=all)"},
      {"pad", "layout", "y = x, padded with zeros along an axis", "dx = that part of dy",
       "pad(x, axis=0, before=0, after=0)"},
      {"concat", "layout", "y = the parts one after the other along an axis",
       "dpart = its part of dy", "concat(parts..., axis=0)"},
      {"stack", "layout", "y = the parts one after the other along a new axis",
       "dpart = its part of dy", "stack(parts..., axis=0)"},
      {"split", "layout", "y_i = part i of equal parts along an axis",
       "dx = the sum of the dy_i, padded with zeros", "split(x, parts=1, axis=0, part=0)"},
      {"gather_rows", "layout", "y[i] = table[ids[i]]", "dtable = scatter_rows(dy, ids, rows)",
       "gather_rows(table, ids)"},
      {"scatter_rows", "layout", "y[r] = sum of x[i] over ids[i] = r", "dx = gather_rows(dy, ids)",
       "scatter_rows(x, ids, rows=)"},
      {"gather", "layout", "y[i] = x[ids[i]] along an axis, for each place on the others",
       "dx[k] = sum of dy[i] over ids[i] = k", "gather(x, ids, axis=-1)"},
      {"arange", "constants", "y[i] = i", "", "arange(n=)"},
      {"one_hot", "constants", "y[i][c] = 1 where c = ids[i], else 0", "",
       "one_hot(ids, classes=)"},
      {"tril_mask", "constants", "y[i][j] = 1 where j <= i + diagonal, else 0", "",
       "tril_mask(rows=, columns=, diagonal=0)"},
      {"triu_mask", "constants", "y[i][j] = 1 where j >= i + diagonal, else 0", "",
       "triu_mask(rows=, columns=, diagonal=0)"},
      {"matmul", "products", "y = a b, matrix by matrix", "da = dy b^T, db = a^T dy",
       "matmul(a, b)"},
      {"linear", "products", "y = x W^T + b",
       "dx = dy W, dW = dy^T x, db = sum of dy over all rows", "linear(x, weight, bias?)"},
      {"softmax", "normalisation", "y = exp(x) / sum(exp(x)), the sum along an axis",
       "dx = y (dy - sum(dy y))", "softmax(x, axis=-1)"},
      {"log_softmax", "normalisation", "y = x - log(sum(exp(x))), the sum along an axis",
       "dx = dy - exp(y) sum(dy)", "log_softmax(x, axis=-1)"},
      {"logsumexp", "normalisation", "y = log(sum(exp(x))), the sum along an axis",
       "dx = dy exp(x - y)", "logsumexp(x, axis=-1, keep=false)"},
      {"layer_norm", "normalisation",
       "y = n gain + bias, n = (x - mean(x)) / sqrt(var(x) + epsilon), each row independently",
       "dx = (dn - mean(dn) - n mean(dn n)) / sqrt(var + epsilon), dgain = dy n, dbias = dy; dn = "
       "dy gain",
       "layer_norm(x, gain?, bias?, epsilon=1e-5)"},
      {"rms_norm", "normalisation",
       "y = n gain, n = x / sqrt(mean(x^2) + epsilon), each row independently; with a gain (heads, "
       "width), each head of a row",
       "dx = (dn - n mean(dn n)) / sqrt(mean(x^2) + epsilon), dgain = dy n; dn = dy gain",
       "rms_norm(x, gain?, epsilon=1e-5)"},
      {"dropout", "normalisation", "y = x / (1 - p), or 0 with probability p",
       "dx = dy / (1 - p), or 0 where x was dropped", "dropout(x, p=, seed=1)"},
      {"cross_entropy", "losses",
       "y = -sum(q log_softmax(x)) of each target, their mean or sum, q = (1 - s) one_hot(target) "
       "+ s / classes",
       "dx = dy (softmax(x) - q), divided by the number of targets for a mean; 0 where ignored",
       "cross_entropy(logits, targets, reduction=mean, label_smoothing=0, ignored=-1)"},
      {"mse", "losses", "y = (x - target)^2, its mean or sum",
       "dx = 2 (x - target) dy, divided by the number of elements for a mean; dtarget = -dx",
       "mse(x, target, reduction=mean)"},
      {"attention", "attention", "y = softmax(q k^T exp(s) / sqrt(d) + mask) v",
       "dq = dscore k, dk = dscore^T q, dv = w^T dy; dscore = w (dy v^T - sum(dy y))",
       "attention(q, k, v, mask?, temperature?, key_mask?, bias?, relative_keys?, "
       "relative_values?, scale?, causal=false, hide_self=false, window=0, extra=0, "
       "mask_before_scale=false)"},
      {"multi_head_attention", "attention", "y = attention(q, k, v), the heads side by side",
       "as attention's, side by side",
       "multi_head_attention(q, k, v, heads=1, kv_heads=heads, causal=false, hide_self=false, "
       "window=0)"},
      {"self_attention", "attention",
       "y = attention(q, k, v), q, k and v side by side in one tensor",
       "as attention's, into the three parts",
       "self_attention(qkv, heads=1, kv_heads=heads, causal=false, hide_self=false, window=0)"},
      {"rotary", "attention", "(a, b) -> (a cos - b sin, b cos + a sin), by position and pair",
       "dx = dy, rotated by the opposite angles",
       "rotary(x, heads=1, width=all, first=0, base=10000, back=false)"},
  };
  return rows;
}

}  // namespace

const std::vector<OpRow>& op_table() { return rows(); }

void add_op(const OpRow& row) {
  const OpRow* known = find_op(row.name);
  if (!known) return rows().push_back(row);
  if (known->formula != row.formula || known->gradient != row.gradient)
    throw ValueError("ops: '{}' is there already", row.name);
}

const OpRow* find_op(const std::string& name) {
  const auto& rows = op_table();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const OpRow& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace tapehead
