"""Every op of `tapehead ops`; tests/stubs.py writes this file."""
from collections.abc import Sequence
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from . import Parameter, Tensor

_TensorLike = Tensor | Parameter | ArrayLike

ops: tuple[str, ...]

def add(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a + b"""

def sub(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a - b"""

def mul(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a b"""

def div(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a / b"""

def pow(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a^b"""

def maximum(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = max(a, b)"""

def minimum(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = min(a, b)"""

def neg(x: _TensorLike) -> Tensor:
    """y = -x"""

def exp(x: _TensorLike) -> Tensor:
    """y = exp(x)"""

def log(x: _TensorLike) -> Tensor:
    """y = log(x)"""

def log1p(x: _TensorLike) -> Tensor:
    """y = log(1 + x)"""

def sqrt(x: _TensorLike) -> Tensor:
    """y = sqrt(x)"""

def abs(x: _TensorLike) -> Tensor:
    """y = |x|"""

def sin(x: _TensorLike) -> Tensor:
    """y = sin(x)"""

def cos(x: _TensorLike) -> Tensor:
    """y = cos(x)"""

def erf(x: _TensorLike) -> Tensor:
    """y = 2 / sqrt(pi) times the integral of exp(-t^2) for t from 0 to x"""

def clamp(x: _TensorLike, low: float | None = None, high: float | None = None) -> Tensor:
    """y = min(max(x, low), high)"""

def where(mask: _TensorLike, a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a where the mask is true, b elsewhere"""

def masked_fill(x: _TensorLike, mask: _TensorLike, value: float) -> Tensor:
    """y = value where the mask is true, x elsewhere"""

def cast(x: _TensorLike, dtype: Any | None = "f64") -> Tensor:
    """y = x, rounded to the nearest number of another type; a cast to i32 truncates"""

def equal(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = 1 where a = b, 0 elsewhere"""

def less(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = 1 where a < b, 0 elsewhere"""

def less_equal(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = 1 where a <= b, 0 elsewhere"""

def tanh(x: _TensorLike) -> Tensor:
    """y = tanh(x)"""

def sigmoid(x: _TensorLike) -> Tensor:
    """y = 1 / (1 + exp(-x))"""

def relu(x: _TensorLike) -> Tensor:
    """y = max(x, 0)"""

def silu(x: _TensorLike) -> Tensor:
    """y = x sigmoid(x)"""

def softplus(x: _TensorLike) -> Tensor:
    """y = log(1 + exp(x))"""

def gelu(x: _TensorLike, form: Literal["tanh", "erf"] | None = "tanh") -> Tensor:
    """y = x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2, or (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"""

def sum(x: _TensorLike, axis: int | Sequence[int] | None = None, keep: bool | None = False) -> Tensor:
    """y = sum(x) over all or some axes"""

def mean(x: _TensorLike, axis: int | Sequence[int] | None = None, keep: bool | None = False) -> Tensor:
    """y = sum(x) / n, where n is the number of summed elements"""

def amax(x: _TensorLike, axis: int | Sequence[int] | None = None, keep: bool | None = False) -> Tensor:
    """y = max(x) over all or some axes"""

def var(x: _TensorLike, axis: int | Sequence[int] | None = None, keep: bool | None = False, correction: int | None = 0) -> Tensor:
    """y = sum((x - mean(x))^2) / (n - correction)"""

@overload
def sum_to(x: _TensorLike, shape: int | Sequence[int]) -> Tensor:
    """y = sum(x) over the axes along which y would be broadcast to the shape of x"""
@overload
def sum_to(x: _TensorLike, *shape: int) -> Tensor:
    """y = sum(x) over the axes along which y would be broadcast to the shape of x"""

def cumsum(x: _TensorLike, axis: int | None = -1, back: bool | None = False) -> Tensor:
    """y_i = sum of x_j over j <= i (or j >= i) along an axis"""

def argmax(x: _TensorLike, axis: int | None = -1, keep: bool | None = False) -> Tensor:
    """y = the index of the first maximum along an axis"""

def top_k(x: _TensorLike, k: int, part: Literal["values", "ids"] | None = "values") -> Tensor:
    """y = the k largest elements along the last axis, or their indices (ids)"""

@overload
def reshape(x: _TensorLike, shape: int | Sequence[int]) -> Tensor:
    """y = the elements of x, in row-major order, in another shape"""
@overload
def reshape(x: _TensorLike, *shape: int) -> Tensor:
    """y = the elements of x, in row-major order, in another shape"""

@overload
def permute(x: _TensorLike, order: int | Sequence[int]) -> Tensor:
    """axis i of y is axis order[i] of x"""
@overload
def permute(x: _TensorLike, *order: int) -> Tensor:
    """axis i of y is axis order[i] of x"""

def transpose(x: _TensorLike, a: int | None = -2, b: int | None = -1) -> Tensor:
    """y = x with two axes swapped"""

@overload
def broadcast_to(x: _TensorLike, shape: int | Sequence[int]) -> Tensor:
    """y = x, repeated along new axes and axes of size 1"""
@overload
def broadcast_to(x: _TensorLike, *shape: int) -> Tensor:
    """y = x, repeated along new axes and axes of size 1"""

def slice(x: _TensorLike, axis: int | None = 0, begin: int | None = 0, end: int | None = None) -> Tensor:
    """y = x[begin:end] along an axis"""

def pad(x: _TensorLike, axis: int | None = 0, before: int | None = 0, after: int | None = 0) -> Tensor:
    """y = x, padded with zeros along an axis"""

def concat(*parts: _TensorLike | Sequence[_TensorLike], axis: int | None = 0) -> Tensor:
    """y = the parts concatenated along an axis"""

def stack(*parts: _TensorLike | Sequence[_TensorLike], axis: int | None = 0) -> Tensor:
    """y = the parts stacked along a new axis"""

def gather_rows(table: _TensorLike, ids: _TensorLike) -> Tensor:
    """y[i] = table[ids[i]]"""

def scatter_rows(x: _TensorLike, ids: _TensorLike, rows: int) -> Tensor:
    """y[r] = sum of x[i] over ids[i] = r"""

def gather(x: _TensorLike, ids: _TensorLike, axis: int | None = -1) -> Tensor:
    """y[i] = x[ids[i]] along an axis, for each index of the other axes"""

def tril_mask(rows: int, columns: int, diagonal: int | None = 0) -> Tensor:
    """y[i][j] = 1 where j <= i + diagonal, else 0"""

def triu_mask(rows: int, columns: int, diagonal: int | None = 0) -> Tensor:
    """y[i][j] = 1 where j >= i + diagonal, else 0"""

def matmul(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a b for each pair of matrices"""

def linear(x: _TensorLike, weight: _TensorLike, bias: _TensorLike | None = None) -> Tensor:
    """y = x W^T + b"""

def softmax(x: _TensorLike, axis: int | None = -1) -> Tensor:
    """y = exp(x) / sum(exp(x)) along an axis"""

def log_softmax(x: _TensorLike, axis: int | None = -1) -> Tensor:
    """y = x - log(sum(exp(x))) along an axis"""

def logsumexp(x: _TensorLike, axis: int | None = -1, keep: bool | None = False) -> Tensor:
    """y = log(sum(exp(x))) along an axis"""

def layer_norm(x: _TensorLike, gain: _TensorLike | None = None, bias: _TensorLike | None = None, epsilon: float | None = 1e-05) -> Tensor:
    """y = n gain + bias, n = (x - mean(x)) / sqrt(var(x) + epsilon), each row independently"""

def rms_norm(x: _TensorLike, gain: _TensorLike | None = None, epsilon: float | None = 1e-05) -> Tensor:
    """y = n gain, n = x / sqrt(mean(x^2) + epsilon), each row independently; with a gain (heads, width), each head of a row"""

def dropout(x: _TensorLike, p: float, seed: int | None = 1) -> Tensor:
    """y = x / (1 - p), or 0 with probability p"""

def cross_entropy(logits: _TensorLike, targets: _TensorLike, reduction: Literal["mean", "sum", "none"] | None = "mean", label_smoothing: float | None = 0, ignored: int | None = -1) -> Tensor:
    """y = -sum(q log_softmax(x)) for each target, or the mean or sum; q = (1 - s) one_hot(target) + s / classes"""

def mse(x: _TensorLike, target: _TensorLike, reduction: Literal["mean", "sum", "none"] | None = "mean") -> Tensor:
    """y = (x - target)^2, or its mean or sum"""

def attention(q: _TensorLike, k: _TensorLike, v: _TensorLike, mask: _TensorLike | None = None, temperature: _TensorLike | None = None, key_mask: _TensorLike | None = None, bias: _TensorLike | None = None, relative_keys: _TensorLike | None = None, relative_values: _TensorLike | None = None, scale: _TensorLike | None = None, causal: bool | None = False, hide_self: bool | None = False, window: int | None = 0, extra: int | None = 0, mask_before_scale: bool | None = False, dropout: float | None = 0, seed: int | None = 1) -> Tensor:
    """y = softmax(q k^T exp(s) / sqrt(d) + mask) v"""

def multi_head_attention(q: _TensorLike, k: _TensorLike, v: _TensorLike, heads: int | None = 1, kv_heads: int | None = None, causal: bool | None = False, hide_self: bool | None = False, window: int | None = 0, dropout: float | None = 0, seed: int | None = 1) -> Tensor:
    """y = attention(q, k, v) with concatenated heads"""

def self_attention(qkv: _TensorLike, heads: int | None = 1, kv_heads: int | None = None, causal: bool | None = False, hide_self: bool | None = False, window: int | None = 0, dropout: float | None = 0, seed: int | None = 1) -> Tensor:
    """y = attention(q, k, v) with q, k and v concatenated in one tensor"""

def rotary(x: _TensorLike, heads: int | None = 1, width: int | None = None, first: int | None = 0, base: float | None = 10000, back: bool | None = False) -> Tensor:
    """(a, b) -> (a cos - b sin, b cos + a sin) for each pair, by angles that depend on its position"""

def solve_unit_lower(a: _TensorLike, b: _TensorLike, back: bool | None = False) -> Tensor:
    """y = (I + L)^-1 b, where L is the part of a below the diagonal; with back, (I + L)^-T b"""

def lstm(x: _TensorLike, weight: _TensorLike, start: _TensorLike | None = None) -> Tensor:
    """h_t = o tanh(c_t), c_t = f c_(t-1) + i g; (i, f, g, o) = x_t + W h_(t-1), with sigmoids of i, f and o, and tanh of g; y_t = (h_t, c_t)"""

class Methods:
    """Every op as a method of its first tensor."""
    def add(self, b: _TensorLike) -> Tensor: ...
    def sub(self, b: _TensorLike) -> Tensor: ...
    def mul(self, b: _TensorLike) -> Tensor: ...
    def div(self, b: _TensorLike) -> Tensor: ...
    def pow(self, b: _TensorLike) -> Tensor: ...
    def maximum(self, b: _TensorLike) -> Tensor: ...
    def minimum(self, b: _TensorLike) -> Tensor: ...
    def neg(self) -> Tensor: ...
    def exp(self) -> Tensor: ...
    def log(self) -> Tensor: ...
    def log1p(self) -> Tensor: ...
    def sqrt(self) -> Tensor: ...
    def abs(self) -> Tensor: ...
    def sin(self) -> Tensor: ...
    def cos(self) -> Tensor: ...
    def erf(self) -> Tensor: ...
    def clamp(self, low: float | None = None, high: float | None = None) -> Tensor: ...
    def masked_fill(self, mask: _TensorLike, value: float) -> Tensor: ...
    def cast(self, dtype: Any | None = "f64") -> Tensor: ...
    def equal(self, b: _TensorLike) -> Tensor: ...
    def less(self, b: _TensorLike) -> Tensor: ...
    def less_equal(self, b: _TensorLike) -> Tensor: ...
    def tanh(self) -> Tensor: ...
    def sigmoid(self) -> Tensor: ...
    def relu(self) -> Tensor: ...
    def silu(self) -> Tensor: ...
    def softplus(self) -> Tensor: ...
    def gelu(self, form: Literal["tanh", "erf"] | None = "tanh") -> Tensor: ...
    def sum(self, axis: int | Sequence[int] | None = None, keep: bool | None = False) -> Tensor: ...
    def mean(self, axis: int | Sequence[int] | None = None, keep: bool | None = False) -> Tensor: ...
    def amax(self, axis: int | Sequence[int] | None = None, keep: bool | None = False) -> Tensor: ...
    def var(self, axis: int | Sequence[int] | None = None, keep: bool | None = False, correction: int | None = 0) -> Tensor: ...
    @overload
    def sum_to(self, shape: int | Sequence[int]) -> Tensor: ...
    @overload
    def sum_to(self, *shape: int) -> Tensor: ...
    def cumsum(self, axis: int | None = -1, back: bool | None = False) -> Tensor: ...
    def argmax(self, axis: int | None = -1, keep: bool | None = False) -> Tensor: ...
    def top_k(self, k: int, part: Literal["values", "ids"] | None = "values") -> Tensor: ...
    @overload
    def reshape(self, shape: int | Sequence[int]) -> Tensor: ...
    @overload
    def reshape(self, *shape: int) -> Tensor: ...
    @overload
    def permute(self, order: int | Sequence[int]) -> Tensor: ...
    @overload
    def permute(self, *order: int) -> Tensor: ...
    def transpose(self, a: int | None = -2, b: int | None = -1) -> Tensor: ...
    @overload
    def broadcast_to(self, shape: int | Sequence[int]) -> Tensor: ...
    @overload
    def broadcast_to(self, *shape: int) -> Tensor: ...
    def slice(self, axis: int | None = 0, begin: int | None = 0, end: int | None = None) -> Tensor: ...
    def pad(self, axis: int | None = 0, before: int | None = 0, after: int | None = 0) -> Tensor: ...
    def gather_rows(self, ids: _TensorLike) -> Tensor: ...
    def scatter_rows(self, ids: _TensorLike, rows: int) -> Tensor: ...
    def gather(self, ids: _TensorLike, axis: int | None = -1) -> Tensor: ...
    def matmul(self, b: _TensorLike) -> Tensor: ...
    def linear(self, weight: _TensorLike, bias: _TensorLike | None = None) -> Tensor: ...
    def softmax(self, axis: int | None = -1) -> Tensor: ...
    def log_softmax(self, axis: int | None = -1) -> Tensor: ...
    def logsumexp(self, axis: int | None = -1, keep: bool | None = False) -> Tensor: ...
    def layer_norm(self, gain: _TensorLike | None = None, bias: _TensorLike | None = None, epsilon: float | None = 1e-05) -> Tensor: ...
    def rms_norm(self, gain: _TensorLike | None = None, epsilon: float | None = 1e-05) -> Tensor: ...
    def dropout(self, p: float, seed: int | None = 1) -> Tensor: ...
    def cross_entropy(self, targets: _TensorLike, reduction: Literal["mean", "sum", "none"] | None = "mean", label_smoothing: float | None = 0, ignored: int | None = -1) -> Tensor: ...
    def mse(self, target: _TensorLike, reduction: Literal["mean", "sum", "none"] | None = "mean") -> Tensor: ...
    def attention(self, k: _TensorLike, v: _TensorLike, mask: _TensorLike | None = None, temperature: _TensorLike | None = None, key_mask: _TensorLike | None = None, bias: _TensorLike | None = None, relative_keys: _TensorLike | None = None, relative_values: _TensorLike | None = None, scale: _TensorLike | None = None, causal: bool | None = False, hide_self: bool | None = False, window: int | None = 0, extra: int | None = 0, mask_before_scale: bool | None = False, dropout: float | None = 0, seed: int | None = 1) -> Tensor: ...
    def multi_head_attention(self, k: _TensorLike, v: _TensorLike, heads: int | None = 1, kv_heads: int | None = None, causal: bool | None = False, hide_self: bool | None = False, window: int | None = 0, dropout: float | None = 0, seed: int | None = 1) -> Tensor: ...
    def self_attention(self, heads: int | None = 1, kv_heads: int | None = None, causal: bool | None = False, hide_self: bool | None = False, window: int | None = 0, dropout: float | None = 0, seed: int | None = 1) -> Tensor: ...
    def rotary(self, heads: int | None = 1, width: int | None = None, first: int | None = 0, base: float | None = 10000, back: bool | None = False) -> Tensor: ...
    def solve_unit_lower(self, b: _TensorLike, back: bool | None = False) -> Tensor: ...
    def lstm(self, weight: _TensorLike, start: _TensorLike | None = None) -> Tensor: ...
