"""Every op of `tapehead ops`; tests/stubs.py writes this file."""
from collections.abc import Sequence
from typing import overload

from numpy.typing import ArrayLike

from . import Parameter, Tensor

_TensorLike = Tensor | Parameter | ArrayLike
_Option = float | str | Sequence[float] | None

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

def clamp(x: _TensorLike, low: _Option = None, high: _Option = None) -> Tensor:
    """y = min(max(x, low), high)"""

def where(mask: _TensorLike, a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a where the mask is true, b elsewhere"""

def masked_fill(x: _TensorLike, mask: _TensorLike, value: _Option) -> Tensor:
    """y = value where the mask is true, x elsewhere"""

def cast(x: _TensorLike, dtype: _Option = None) -> Tensor:
    """y = x, each element as the nearest number of another type; a cast to i32 drops the fraction"""

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

def gelu(x: _TensorLike, form: _Option = None) -> Tensor:
    """y = x Phi(x), Phi(x) = (1 + erf(x / sqrt(2))) / 2, or (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"""

def sum(x: _TensorLike, axis: _Option = None, keep: _Option = None) -> Tensor:
    """y = sum(x) over all axes or some"""

def mean(x: _TensorLike, axis: _Option = None, keep: _Option = None) -> Tensor:
    """y = sum(x) / n, n elements for each result"""

def amax(x: _TensorLike, axis: _Option = None, keep: _Option = None) -> Tensor:
    """y = max(x) over all axes or some"""

def var(x: _TensorLike, axis: _Option = None, keep: _Option = None, correction: _Option = None) -> Tensor:
    """y = sum((x - mean(x))^2) / (n - correction)"""

@overload
def sum_to(x: _TensorLike, shape: _Option) -> Tensor:
    """y = sum(x) over the axes along which y's shape would be broadcast to x's"""
@overload
def sum_to(x: _TensorLike, *shape: int) -> Tensor:
    """y = sum(x) over the axes along which y's shape would be broadcast to x's"""

def cumsum(x: _TensorLike, axis: _Option = None, back: _Option = None) -> Tensor:
    """y_i = sum of x_j over j <= i, or j >= i, along an axis"""

def argmax(x: _TensorLike, axis: _Option = None, keep: _Option = None) -> Tensor:
    """y = the first place of max(x) along an axis"""

def top_k(x: _TensorLike, k: _Option, part: _Option = None) -> Tensor:
    """y = the k largest of x along the last axis, or their places, ids"""

@overload
def reshape(x: _TensorLike, shape: _Option) -> Tensor:
    """y = the elements of x, row by row, in another shape"""
@overload
def reshape(x: _TensorLike, *shape: int) -> Tensor:
    """y = the elements of x, row by row, in another shape"""

@overload
def permute(x: _TensorLike, order: _Option) -> Tensor:
    """axis i of y is axis order[i] of x"""
@overload
def permute(x: _TensorLike, *order: int) -> Tensor:
    """axis i of y is axis order[i] of x"""

def transpose(x: _TensorLike, a: _Option = None, b: _Option = None) -> Tensor:
    """y = x with two axes swapped"""

@overload
def broadcast_to(x: _TensorLike, shape: _Option) -> Tensor:
    """y = x, repeated along new axes and those of size 1"""
@overload
def broadcast_to(x: _TensorLike, *shape: int) -> Tensor:
    """y = x, repeated along new axes and those of size 1"""

def slice(x: _TensorLike, axis: _Option = None, begin: _Option = None, end: _Option = None) -> Tensor:
    """y = x[begin:end] along an axis"""

def pad(x: _TensorLike, axis: _Option = None, before: _Option = None, after: _Option = None) -> Tensor:
    """y = x, padded with zeros along an axis"""

def concat(*parts: _TensorLike | Sequence[_TensorLike], axis: _Option = None) -> Tensor:
    """y = the parts one after the other along an axis"""

def stack(*parts: _TensorLike | Sequence[_TensorLike], axis: _Option = None) -> Tensor:
    """y = the parts one after the other along a new axis"""

def gather_rows(table: _TensorLike, ids: _TensorLike) -> Tensor:
    """y[i] = table[ids[i]]"""

def scatter_rows(x: _TensorLike, ids: _TensorLike, rows: _Option) -> Tensor:
    """y[r] = sum of x[i] over ids[i] = r"""

def gather(x: _TensorLike, ids: _TensorLike, axis: _Option = None) -> Tensor:
    """y[i] = x[ids[i]] along an axis, for each place on the others"""

def tril_mask(rows: _Option, columns: _Option, diagonal: _Option = None) -> Tensor:
    """y[i][j] = 1 where j <= i + diagonal, else 0"""

def triu_mask(rows: _Option, columns: _Option, diagonal: _Option = None) -> Tensor:
    """y[i][j] = 1 where j >= i + diagonal, else 0"""

def matmul(a: _TensorLike, b: _TensorLike) -> Tensor:
    """y = a b, matrix by matrix"""

def linear(x: _TensorLike, weight: _TensorLike, bias: _TensorLike | None = None) -> Tensor:
    """y = x W^T + b"""

def softmax(x: _TensorLike, axis: _Option = None) -> Tensor:
    """y = exp(x) / sum(exp(x)), the sum along an axis"""

def log_softmax(x: _TensorLike, axis: _Option = None) -> Tensor:
    """y = x - log(sum(exp(x))), the sum along an axis"""

def logsumexp(x: _TensorLike, axis: _Option = None, keep: _Option = None) -> Tensor:
    """y = log(sum(exp(x))), the sum along an axis"""

def layer_norm(x: _TensorLike, gain: _TensorLike | None = None, bias: _TensorLike | None = None, epsilon: _Option = None) -> Tensor:
    """y = n gain + bias, n = (x - mean(x)) / sqrt(var(x) + epsilon), each row independently"""

def rms_norm(x: _TensorLike, gain: _TensorLike | None = None, epsilon: _Option = None) -> Tensor:
    """y = n gain, n = x / sqrt(mean(x^2) + epsilon), each row independently; with a gain (heads, width), each head of a row"""

def dropout(x: _TensorLike, p: _Option, seed: _Option = None) -> Tensor:
    """y = x / (1 - p), or 0 with probability p"""

def cross_entropy(logits: _TensorLike, targets: _TensorLike, reduction: _Option = None, label_smoothing: _Option = None, ignored: _Option = None) -> Tensor:
    """y = -sum(q log_softmax(x)) of each target, their mean or sum, q = (1 - s) one_hot(target) + s / classes"""

def mse(x: _TensorLike, target: _TensorLike, reduction: _Option = None) -> Tensor:
    """y = (x - target)^2, its mean or sum"""

def attention(q: _TensorLike, k: _TensorLike, v: _TensorLike, mask: _TensorLike | None = None, temperature: _TensorLike | None = None, key_mask: _TensorLike | None = None, bias: _TensorLike | None = None, relative_keys: _TensorLike | None = None, relative_values: _TensorLike | None = None, scale: _TensorLike | None = None, causal: _Option = None, hide_self: _Option = None, window: _Option = None, extra: _Option = None, mask_before_scale: _Option = None) -> Tensor:
    """y = softmax(q k^T exp(s) / sqrt(d) + mask) v"""

def multi_head_attention(q: _TensorLike, k: _TensorLike, v: _TensorLike, heads: _Option = None, kv_heads: _Option = None, causal: _Option = None, hide_self: _Option = None, window: _Option = None) -> Tensor:
    """y = attention(q, k, v), the heads side by side"""

def self_attention(qkv: _TensorLike, heads: _Option = None, kv_heads: _Option = None, causal: _Option = None, hide_self: _Option = None, window: _Option = None) -> Tensor:
    """y = attention(q, k, v), q, k and v side by side in one tensor"""

def rotary(x: _TensorLike, heads: _Option = None, width: _Option = None, first: _Option = None, base: _Option = None, back: _Option = None) -> Tensor:
    """(a, b) -> (a cos - b sin, b cos + a sin), by position and pair"""

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
    def clamp(self, low: _Option = None, high: _Option = None) -> Tensor: ...
    def masked_fill(self, mask: _TensorLike, value: _Option) -> Tensor: ...
    def cast(self, dtype: _Option = None) -> Tensor: ...
    def equal(self, b: _TensorLike) -> Tensor: ...
    def less(self, b: _TensorLike) -> Tensor: ...
    def less_equal(self, b: _TensorLike) -> Tensor: ...
    def tanh(self) -> Tensor: ...
    def sigmoid(self) -> Tensor: ...
    def relu(self) -> Tensor: ...
    def silu(self) -> Tensor: ...
    def softplus(self) -> Tensor: ...
    def gelu(self, form: _Option = None) -> Tensor: ...
    def sum(self, axis: _Option = None, keep: _Option = None) -> Tensor: ...
    def mean(self, axis: _Option = None, keep: _Option = None) -> Tensor: ...
    def amax(self, axis: _Option = None, keep: _Option = None) -> Tensor: ...
    def var(self, axis: _Option = None, keep: _Option = None, correction: _Option = None) -> Tensor: ...
    @overload
    def sum_to(self, shape: _Option) -> Tensor: ...
    @overload
    def sum_to(self, *shape: int) -> Tensor: ...
    def cumsum(self, axis: _Option = None, back: _Option = None) -> Tensor: ...
    def argmax(self, axis: _Option = None, keep: _Option = None) -> Tensor: ...
    def top_k(self, k: _Option, part: _Option = None) -> Tensor: ...
    @overload
    def reshape(self, shape: _Option) -> Tensor: ...
    @overload
    def reshape(self, *shape: int) -> Tensor: ...
    @overload
    def permute(self, order: _Option) -> Tensor: ...
    @overload
    def permute(self, *order: int) -> Tensor: ...
    def transpose(self, a: _Option = None, b: _Option = None) -> Tensor: ...
    @overload
    def broadcast_to(self, shape: _Option) -> Tensor: ...
    @overload
    def broadcast_to(self, *shape: int) -> Tensor: ...
    def slice(self, axis: _Option = None, begin: _Option = None, end: _Option = None) -> Tensor: ...
    def pad(self, axis: _Option = None, before: _Option = None, after: _Option = None) -> Tensor: ...
    def gather_rows(self, ids: _TensorLike) -> Tensor: ...
    def scatter_rows(self, ids: _TensorLike, rows: _Option) -> Tensor: ...
    def gather(self, ids: _TensorLike, axis: _Option = None) -> Tensor: ...
    def matmul(self, b: _TensorLike) -> Tensor: ...
    def linear(self, weight: _TensorLike, bias: _TensorLike | None = None) -> Tensor: ...
    def softmax(self, axis: _Option = None) -> Tensor: ...
    def log_softmax(self, axis: _Option = None) -> Tensor: ...
    def logsumexp(self, axis: _Option = None, keep: _Option = None) -> Tensor: ...
    def layer_norm(self, gain: _TensorLike | None = None, bias: _TensorLike | None = None, epsilon: _Option = None) -> Tensor: ...
    def rms_norm(self, gain: _TensorLike | None = None, epsilon: _Option = None) -> Tensor: ...
    def dropout(self, p: _Option, seed: _Option = None) -> Tensor: ...
    def cross_entropy(self, targets: _TensorLike, reduction: _Option = None, label_smoothing: _Option = None, ignored: _Option = None) -> Tensor: ...
    def mse(self, target: _TensorLike, reduction: _Option = None) -> Tensor: ...
    def attention(self, k: _TensorLike, v: _TensorLike, mask: _TensorLike | None = None, temperature: _TensorLike | None = None, key_mask: _TensorLike | None = None, bias: _TensorLike | None = None, relative_keys: _TensorLike | None = None, relative_values: _TensorLike | None = None, scale: _TensorLike | None = None, causal: _Option = None, hide_self: _Option = None, window: _Option = None, extra: _Option = None, mask_before_scale: _Option = None) -> Tensor: ...
    def multi_head_attention(self, k: _TensorLike, v: _TensorLike, heads: _Option = None, kv_heads: _Option = None, causal: _Option = None, hide_self: _Option = None, window: _Option = None) -> Tensor: ...
    def self_attention(self, heads: _Option = None, kv_heads: _Option = None, causal: _Option = None, hide_self: _Option = None, window: _Option = None) -> Tensor: ...
    def rotary(self, heads: _Option = None, width: _Option = None, first: _Option = None, base: _Option = None, back: _Option = None) -> Tensor: ...
