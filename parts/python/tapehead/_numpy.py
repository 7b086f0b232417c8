"""NumPy functions on tensors. Functions with a corresponding op call the op and have gradients;
others get arrays."""
import inspect
import math
import numbers
import operator

import numpy

from . import _core
from ._core import Parameter, Tensor
from ._custom_gradient import custom_gradient


def _is_tensor(x):
    return isinstance(x, (Tensor, Parameter))


def _operator(name, reflected):
    """Returns a function that calls the tensor's operator; an array's would call NumPy again."""
    def called(a, b):
        return getattr(type(a), name)(a, b) if _is_tensor(a) else getattr(type(b), reflected)(b, a)
    return called


def _expm1(x):
    """Computes exp(x) - 1 without cancellation near 0."""
    return custom_gradient(lambda x: _core.tanh(x / 2) * (_core.exp(x) + 1), x,
                           lambda dy: dy * _core.exp(x))


def _clip(a, a_min=None, a_max=None):
    if all(bound is None or isinstance(bound, numbers.Real) for bound in (a_min, a_max)):
        return _core.clamp(a, a_min, a_max)
    above = a if a_min is None else _core.maximum(a, a_min)
    return above if a_max is None else _core.minimum(above, a_max)


def _concatenate(arrays, axis=0):
    if axis is None:
        arrays = [x.reshape(-1) if _is_tensor(x) else numpy.ravel(x) for x in arrays]
    return _core.concat(*arrays, axis=0 if axis is None else operator.index(axis))


def _cumsum(a, axis=None):
    if axis is None:
        return _core.cumsum(_core.reshape(a, -1), 0)
    return _core.cumsum(a, operator.index(axis))


def _dot(a, b):
    """Computes numpy.dot: sums over the last axis of a and the second-to-last axis of b."""
    a, b = (x if _is_tensor(x) else _core.beside(x, [y]) for x, y in ((a, b), (b, a)))
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim == 1 or b.ndim <= 2:
        return a @ b
    rows = _core.reshape(a, (math.prod(a.shape[:-1]), a.shape[-1]))
    others = b.shape[:-2] + b.shape[-1:]
    order = (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1)
    columns = _core.reshape(_core.permute(b, order), (b.shape[-2], math.prod(others)))
    return _core.reshape(rows @ columns, a.shape[:-1] + others)


operators = {  # NumPy's functions with Python's operators and reflected operators
    "add": ("add", "radd"), "subtract": ("sub", "rsub"), "multiply": ("mul", "rmul"),
    "true_divide": ("truediv", "rtruediv"), "power": ("pow", "rpow"),
    "matmul": ("matmul", "rmatmul"), "equal": ("eq", "eq"), "not_equal": ("ne", "ne"),
    "less": ("lt", "gt"), "less_equal": ("le", "ge"), "greater": ("gt", "lt"),
    "greater_equal": ("ge", "le")}
names = (  # functions with the same name in NumPy and here
    "maximum", "minimum", "exp", "log", "log1p", "sqrt", "abs", "sin", "cos", "tanh")
same = {getattr(numpy, theirs): _operator(f"__{name}__", f"__{reflected}__")
        for theirs, (name, reflected) in operators.items()} | {
    getattr(numpy, name): getattr(_core, name) for name in names} | {
    numpy.negative: operator.neg,
    numpy.square: lambda x: x * x,
    numpy.expm1: _expm1,
    numpy.reciprocal: lambda x: _core.div(1, x)}
# Arguments have NumPy's names. Arguments after `*` are positional in NumPy, but not here.
shaping = {
    numpy.sum: lambda a, axis=None, *, keepdims=False: _core.sum(a, axis, keepdims),
    numpy.mean: lambda a, axis=None, *, keepdims=False: _core.mean(a, axis, keepdims),
    numpy.max: lambda a, axis=None, *, keepdims=False: _core.amax(a, axis, keepdims),
    numpy.var: lambda a, axis=None, *, ddof=0, keepdims=False: _core.var(a, axis, keepdims, ddof),
    numpy.cumsum: _cumsum,
    numpy.reshape: lambda a, shape: _core.reshape(a, shape),
    numpy.transpose: lambda a, axes=None: a.T if axes is None else _core.permute(a, axes),
    numpy.where: lambda condition, x, y: _core.where(condition, x, y),
    numpy.clip: _clip,
    numpy.concatenate: _concatenate,
    numpy.stack: lambda arrays, axis=0: _core.stack(*arrays, axis=operator.index(axis)),
    numpy.broadcast_to: lambda array, shape: _core.broadcast_to(array, shape),
    numpy.dot: _dot}


def _arrays(name, given):
    """Converts tensors to arrays. Raises for tensors on a tape, whose gradient would be lost."""
    if _is_tensor(given):
        if _core.is_recorded(given):
            raise TypeError(f"numpy.{name}: has no gradient, but a tape records this tensor; "
                            "use x.numpy() for its elements as constants")
        return given.numpy()
    if isinstance(given, (list, tuple)):
        return type(given)(_arrays(name, each) for each in given)
    return {key: _arrays(name, each) for key, each in given.items()} \
        if isinstance(given, dict) else given


def _ufunc(self, ufunc, method, *given, **named):
    """Implements __array_ufunc__, which NumPy calls for ufuncs on tensors."""
    if method == "__call__" and ufunc in same and not named:
        return same[ufunc](*given)
    if any(_is_tensor(x) for x in named.get("out", ())):
        raise TypeError(f"numpy.{ufunc.__name__}: tensors are immutable, so out can't "
                        "be one")
    name = ufunc.__name__
    return getattr(ufunc, method)(*_arrays(name, given), **_arrays(name, named))


def _function(self, function, types, given, named):
    """Implements __array_function__, which NumPy calls for its other functions on tensors."""
    if function in shaping:
        try:
            found = inspect.signature(shaping[function]).bind(*given, **named)
        except TypeError:  # the op doesn't support these arguments
            pass
        else:
            return shaping[function](*found.args, **found.kwargs)
    name = function.__name__
    return function(*_arrays(name, given), **_arrays(name, named))


def _array(self, dtype=None, copy=None):
    """Implements __array__, the conversion to an array. NumPy 1 doesn't pass `copy`."""
    x = self.numpy()
    return numpy.asarray(x, dtype) if copy is None else numpy.array(x, dtype, copy=copy)


for _type in Tensor, Parameter:
    _type.__array__, _type.__array_ufunc__, _type.__array_function__ = _array, _ufunc, _function
