"""Custom ops, and gradient checks."""
import numpy

from . import _core
from ._core import Module, Tensor
from ._inputs import listed


def gradcheck(f, inputs, tolerance=0, step=0, order=4, second=False, dtype="f64"):
    """Compares the gradient of f(*inputs) with central differences; with `second`, the second
    derivatives. gradcheck(module, x) checks a module's parameters and input in f64. `dtype` is the
    type of the inputs, f64 or f32; central differences are inaccurate in f32."""
    options = tolerance, step, order, second
    if isinstance(f, Module):
        x = inputs[0] if isinstance(inputs, (list, tuple)) and len(inputs) == 1 and isinstance(
            inputs[0], (Tensor, numpy.ndarray)) else inputs
        return _core.gradcheck_module(f, x, *options)
    given = [_core.cast(x, dtype) if x.dtype != dtype else x for x in map(_core.exact, inputs)]
    return _core.gradcheck(lambda all: _core.beside(f(*all), all), given, *options)


def _result(name, y, inputs):
    """Returns an op's result as an array of the inputs' widest float type. If all inputs are
    integers, a float result becomes f32."""
    y = numpy.asarray(y)
    if y.dtype.kind not in "fiub":
        raise TypeError(f"{name}: returned an array of {y.dtype}, expected floats or integers")
    floats = [x.dtype for x in inputs if x.dtype.kind == "f"]
    if floats:
        return y.astype(numpy.result_type(*floats))
    return y.astype("float32") if y.dtype.kind == "f" else y


def _gradient(g, x):
    """Returns a gradient g as a tensor of the type of its input x; f32 if x has integers."""
    return g if isinstance(g, Tensor) else _core.exact(
        numpy.asarray(g).astype(x.dtype if x.dtype.kind == "f" else "float32"))


class op:
    """A custom op. `forward` computes the result's array from the input arrays. Decorate a function
    backward(dy, y, *inputs) with `register_backward`; it returns the gradient of the input, or a
    tuple for several inputs. backward gets arrays; if the gradient is differentiated again, it gets
    tensors, and NumPy functions call ops. The result has the inputs' float type; if all inputs are
    integers, a float result becomes f32."""

    def __init__(self, forward):
        self.forward, self.backward, self.name = forward, None, forward.__name__
        self.__doc__ = forward.__doc__

    def register_backward(self, backward):
        """Decorates the backward function. Returns the op."""
        self.backward = backward
        return self

    rule = register_backward  # deprecated name

    def __call__(self, *inputs):
        if self.backward is None:
            raise ValueError(f"{self.name}: has no backward function; add one with "
                             f"@{self.name}.register_backward")
        inputs = listed(inputs)
        arrays = [x.numpy() for x in inputs]
        y = _core.exact(_result(self.name, self.forward(*arrays), arrays))

        def backward(dy):
            grads = None
            if any(map(_core.is_recorded, (dy, y, *inputs))):
                try:
                    grads = self.backward(dy, y, *inputs)
                except Exception:  # the function may support only arrays
                    pass
            if grads is None:
                grads = self.backward(dy.numpy(), y.numpy(), *arrays)
            grads = grads if isinstance(grads, (tuple, list)) else [grads]
            if len(grads) != len(arrays):
                raise ValueError(f"{self.name}: its backward function returned {len(grads)} "
                                 f"gradients for {len(arrays)} inputs")
            return [_gradient(g, x) for g, x in zip(grads, arrays)]

        return _core.record(self.name, y, inputs, backward)
