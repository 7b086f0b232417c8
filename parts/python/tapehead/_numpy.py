"""What NumPy does with tensors: its functions compute by the ops of the same meaning, so that they
have gradients; others are given arrays."""
import inspect

import numpy

from . import _core, _ops
from ._core import Parameter, Tensor


def _product(a, b):
    """a @ b, of which NumPy would ask again where a is an array."""
    return (a if isinstance(a, (Tensor, Parameter)) else _core.beside(a, [b])) @ b


names = {  # of NumPy, by the ops that compute the same
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "power": "pow", "maximum": "maximum", "minimum": "minimum", "negative": "neg", "exp": "exp",
    "log": "log", "log1p": "log1p", "sqrt": "sqrt", "absolute": "abs", "sin": "sin", "cos": "cos", "tanh": "tanh",
    "equal": "equal", "less": "less", "less_equal": "less_equal"}
same = {getattr(numpy, theirs): getattr(_core, ours) for theirs, ours in names.items()} | {
    numpy.matmul: _product,
    numpy.greater: lambda a, b: _core.less(b, a),
    numpy.greater_equal: lambda a, b: _core.less_equal(b, a),
    numpy.not_equal: lambda a, b: 1 - _core.equal(a, b),
    numpy.square: lambda x: x * x,
    numpy.expm1: lambda x: _core.exp(x) - 1,
    numpy.reciprocal: lambda x: 1 / x}
shaping = {
    numpy.sum: lambda x, axis=None, keepdims=False: _core.sum(x, axis, keepdims),
    numpy.mean: lambda x, axis=None, keepdims=False: _core.mean(x, axis, keepdims),
    numpy.max: lambda x, axis=None, keepdims=False: _core.amax(x, axis, keepdims),
    numpy.var: lambda x, axis=None, ddof=0, keepdims=False: _core.var(x, axis, keepdims, ddof),
    numpy.cumsum: lambda x, axis=None: _core.cumsum(*((x, axis) if axis is not None else
                                                      (x.reshape(-1), 0))),
    numpy.reshape: lambda x, shape: _core.reshape(x, shape),
    numpy.transpose: lambda x, axes=None: x.T if axes is None else _core.permute(x, axes),
    numpy.where: lambda mask, a, b: _core.where(mask, a, b),
    numpy.clip: lambda x, low, high: _core.clamp(x, low, high),
    numpy.concatenate: lambda parts, axis=0: _core.concat(*parts, axis=axis),
    numpy.stack: lambda parts, axis=0: _core.stack(*parts, axis=axis),
    numpy.broadcast_to: lambda x, shape: _core.broadcast_to(x, shape),
    numpy.dot: _product}


def _arrays(name, given):
    """The same with arrays for tensors, which mustn't be on a tape: that would lose a gradient."""
    if isinstance(given, (Tensor, Parameter)):
        if _core.is_recorded(given):
            raise TypeError(f"numpy.{name}: has no gradient, and a tape records this tensor: "
                            "x.numpy() has its elements as constants")
        return given.numpy()
    if isinstance(given, (list, tuple)):
        return type(given)(_arrays(name, each) for each in given)
    return {key: _arrays(name, each) for key, each in given.items()} \
        if isinstance(given, dict) else given


def _ufunc(self, ufunc, method, *given, **named):
    """What NumPy asks where it is given a tensor."""
    if method == "__call__" and ufunc in same and not named:
        return same[ufunc](*given)
    if any(isinstance(x, (Tensor, Parameter)) for x in named.get("out", ())):
        raise TypeError(f"numpy.{ufunc.__name__}: a tensor's elements never change, so out can't "
                        "be one")
    name = ufunc.__name__
    return getattr(ufunc, method)(*_arrays(name, given), **_arrays(name, named))


def _function(self, function, types, given, named):
    """The same for NumPy's other functions."""
    if function in shaping:
        try:
            found = inspect.signature(shaping[function]).bind(*given, **named)
        except TypeError:  # it is asked for more than the op can
            pass
        else:
            return shaping[function](*found.args, **found.kwargs)
    name = function.__name__
    return function(*_arrays(name, given), **_arrays(name, named))


def _array(self, dtype=None, copy=None):
    """The elements; NumPy 1 knows no None for copy."""
    x = self.numpy()
    return numpy.asarray(x, dtype) if copy is None else numpy.array(x, dtype, copy=copy)


for _type in Tensor, Parameter:
    _type.__array__, _type.__array_ufunc__, _type.__array_function__ = _array, _ufunc, _function
