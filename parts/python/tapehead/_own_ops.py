"""Ops of one's own, and the check of their gradients."""
import numpy

from . import _core
from ._core import Module, Tensor
from ._inputs import listed


def gradcheck(f, inputs, tolerance=0, step=0, order=4, second=False, dtype="f64"):
    """Compares the gradient of f(*inputs) with central differences, or, if `second`, the
    gradient's own gradient. A module is checked by its parameters and its input, in f64:
    gradcheck(module, x). `dtype` is that of the inputs, f64 or f32, where differences are coarse.
    """
    options = tolerance, step, order, second
    if isinstance(f, Module):
        x = inputs[0] if isinstance(inputs, (list, tuple)) and len(inputs) == 1 and isinstance(
            inputs[0], (Tensor, numpy.ndarray)) else inputs
        return _core.gradcheck_module(f, x, *options)
    given = [_core.cast(x, dtype) if x.dtype != dtype else x for x in map(_core.exact, inputs)]
    return _core.gradcheck(lambda all: _core.beside(f(*all), all), given, *options)


def _result(name, y, inputs):
    """An op's result as an array: of its inputs' widest float type, or f32 if floats were made of
    integers, as in a division."""
    y = numpy.asarray(y)
    if y.dtype.kind not in "fiub":
        raise TypeError(f"{name}: gave an array of {y.dtype}, expected floats or integers")
    floats = [x.dtype for x in inputs if x.dtype.kind == "f"]
    if floats:
        return y.astype(numpy.result_type(*floats))
    return y.astype("float32") if y.dtype.kind == "f" else y


def _gradient(g, x):
    """A gradient as a tensor of its input's type; an integer has none."""
    return g if isinstance(g, Tensor) else _core.exact(
        numpy.asarray(g).astype(x.dtype if x.dtype.kind == "f" else "float32"))


class op:
    """An op of one's own. `forward` gives the result's array from those of the inputs; the function
    that `rule` decorates gives the gradients of the inputs, one or a tuple, from that of the
    result, from the result, and from the inputs: rule(dy, y, *inputs). It is given arrays, and
    tensors where a gradient is to be differentiated again, so that NumPy's functions are ops. The
    result has the type of the inputs' floats, and f32 if the inputs are integers and it isn't."""

    def __init__(self, forward):
        self.forward, self.backward, self.name = forward, None, forward.__name__
        self.__doc__ = forward.__doc__

    def rule(self, backward):
        """Takes the function that gives the gradients of the inputs."""
        self.backward = backward
        return self

    def __call__(self, *inputs):
        if self.backward is None:
            raise ValueError(f"{self.name}: has no rule; give one by @{self.name}.rule")
        inputs = listed(inputs)
        arrays = [x.numpy() for x in inputs]
        y = _core.exact(_result(self.name, self.forward(*arrays), arrays))

        def rule(dy):
            grads = None
            if any(map(_core.is_recorded, (dy, y, *inputs))):
                try:
                    grads = self.backward(dy, y, *inputs)
                except Exception:  # of a rule that takes arrays alone, and so isn't made of ops
                    pass
            if grads is None:
                grads = self.backward(dy.numpy(), y.numpy(), *arrays)
            grads = grads if isinstance(grads, (tuple, list)) else [grads]
            if len(grads) != len(arrays):
                raise ValueError(f"{self.name}: its rule gave {len(grads)} gradients for "
                                 f"{len(arrays)} inputs")
            return [_gradient(g, x) for g, x in zip(grads, arrays)]

        return _core.record(self.name, y, inputs, rule)
