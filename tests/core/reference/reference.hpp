#pragma once
// Defines every op a second time: as a function of one element, as one xtensor expression, or in a
// few lines, as in NumPy. The tests compare each op's values with its definition, so speed doesn't
// matter. The definitions compute in f64; the result has the op's type. Shapes aren't checked.
#include "../../../core/ops.hpp"

namespace tapehead::reference {

/// A tensor of a type of its own, so that a call means the definition and not the op.
struct Value {
  Value() = default;  ///< no tensor, as for a bias that is left out
  Value(const Tensor& x) : tensor(x) {}
  operator const Tensor&() const { return tensor; }

  Tensor tensor;
};

// ---- arithmetic
Value add(const Value& a, const Value& b);
Value sub(const Value& a, const Value& b);
Value mul(const Value& a, const Value& b);
Value div(const Value& a, const Value& b);
Value pow(const Value& a, const Value& b);
Value maximum(const Value& a, const Value& b);
Value minimum(const Value& a, const Value& b);
Value neg(const Value& x);
Value exp(const Value& x);
Value log(const Value& x);
Value log1p(const Value& x);
Value sqrt(const Value& x);
Value abs(const Value& x);
Value sin(const Value& x);
Value cos(const Value& x);
Value erf(const Value& x);
Value clamp(const Value& x, double low, double high);
Value where(const Value& mask, const Value& a, const Value& b);
Value masked_fill(const Value& x, const Value& mask, double value);
Value cast(const Value& x, DType dtype);

// ---- comparison
Value equal(const Value& a, const Value& b);
Value less(const Value& a, const Value& b);
Value less_equal(const Value& a, const Value& b);

// ---- activations
Value tanh(const Value& x);
Value sigmoid(const Value& x);
Value relu(const Value& x);
Value silu(const Value& x);
Value softplus(const Value& x);
Value gelu(const Value& x, Gelu form = Gelu::tanh);

// ---- reduction
Value sum(const Value& x);
Value sum(const Value& x, const Axes& axes, bool keep = false);
Value mean(const Value& x);
Value mean(const Value& x, const Axes& axes, bool keep = false);
Value amax(const Value& x);
Value amax(const Value& x, const Axes& axes, bool keep = false);
Value var(const Value& x);
Value var(const Value& x, const Axes& axes, bool keep = false, int correction = 0);
Value sum_to(const Value& x, const Shape& shape);
Value cumsum(const Value& x, int axis = -1, bool back = false);
Value argmax(const Value& x, int axis = -1, bool keep = false);
struct TopK {
  Value values, ids;
};
TopK top_k(const Value& x, Index k);

// ---- layout
Value reshape(const Value& x, const Shape& shape);
Value reshape(const Value& x, const std::vector<Index>& sizes);
inline Value reshape(const Value& x, std::initializer_list<Index> sizes) {
  return reshape(x, std::vector<Index>(sizes));
}
Value permute(const Value& x, const Axes& order);
Value transpose(const Value& x, int a = -2, int b = -1);
Value broadcast_to(const Value& x, const Shape& shape);
Value slice(const Value& x, int axis, Index begin, Index end);
Value pad(const Value& x, int axis, Index before, Index after);
Value concat(const std::vector<Value>& parts, int axis);
Value stack(const std::vector<Value>& parts, int axis = 0);
std::vector<Value> split(const Value& x, Index parts, int axis);
Value gather_rows(const Value& table, const Value& ids);
Value scatter_rows(const Value& x, const Value& ids, Index rows);
Value gather(const Value& x, const Value& ids, int axis = -1);

// ---- constants
Value arange(Index n, DType dtype = DType::i32);
Value one_hot(const Value& ids, Index classes, DType dtype = DType::f32);
Value tril_mask(Index rows, Index columns, Index diagonal = 0);
Value triu_mask(Index rows, Index columns, Index diagonal = 0);

// ---- products
Value matmul(const Value& a, const Value& b);
Value linear(const Value& x, const Value& weight, const Value& bias = {});

// ---- normalisation
Value softmax(const Value& x, int axis = -1);
Value log_softmax(const Value& x, int axis = -1);
Value logsumexp(const Value& x, int axis = -1, bool keep = false);
Value layer_norm(const Value& x, const Value& gain = {}, const Value& bias = {},
                 double epsilon = 1e-5);
Value rms_norm(const Value& x, const Value& gain = {}, double epsilon = 1e-5);
Value dropout(const Value& x, double p, const RandomKey& key);

// ---- losses
Value cross_entropy(const Value& logits, const Value& targets,
                    const CrossEntropyOptions& options = {});
Value mse(const Value& x, const Value& target, Reduction reduction = Reduction::mean);

// ---- attention
struct AttentionValues {
  Value y, weights;
};
Value attention(const Value& q, const Value& k, const Value& v,
                const AttentionOptions& options = {});
AttentionValues attention_with_weights(const Value& q, const Value& k, const Value& v,
                                       const AttentionOptions& options = {});
Value multi_head_attention(const Value& q, const Value& k, const Value& v, Index heads,
                           Index kv_heads, const AttentionOptions& options = {});
Value self_attention(const Value& qkv, Index heads, Index kv_heads,
                     const AttentionOptions& options = {});
Value rotary(const Value& x, Index heads, Index width, Index first = 0, double base = 10000,
             bool back = false);

// ---- operators
inline Value number(double x, const Value& like) { return scalar(x, like.tensor.dtype()); }
inline Value operator+(const Value& a, const Value& b) { return add(a, b); }
inline Value operator-(const Value& a, const Value& b) { return sub(a, b); }
inline Value operator*(const Value& a, const Value& b) { return mul(a, b); }
inline Value operator/(const Value& a, const Value& b) { return div(a, b); }
inline Value operator-(const Value& x) { return neg(x); }
inline Value operator+(const Value& a, double b) { return add(a, number(b, a)); }
inline Value operator-(const Value& a, double b) { return sub(a, number(b, a)); }
inline Value operator*(const Value& a, double b) { return mul(a, number(b, a)); }
inline Value operator/(const Value& a, double b) { return div(a, number(b, a)); }
inline Value operator+(double a, const Value& b) { return add(number(a, b), b); }
inline Value operator-(double a, const Value& b) { return sub(number(a, b), b); }
inline Value operator*(double a, const Value& b) { return mul(number(a, b), b); }
inline Value pow(const Value& a, double b) { return pow(a, number(b, a)); }
inline Value operator<(const Value& a, const Value& b) { return less(a, b); }
inline Value operator<=(const Value& a, const Value& b) { return less_equal(a, b); }
inline Value operator>(const Value& a, const Value& b) { return less(b, a); }
inline Value operator>=(const Value& a, const Value& b) { return less_equal(b, a); }
inline Value operator<(const Value& a, double b) { return less(a, number(b, a)); }
inline Value operator<=(const Value& a, double b) { return less_equal(a, number(b, a)); }
inline Value operator>(const Value& a, double b) { return less(number(b, a), a); }
inline Value operator>=(const Value& a, double b) { return less_equal(number(b, a), a); }

}  // namespace tapehead::reference
