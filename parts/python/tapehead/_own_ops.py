"""Ops of one's own, and the check of their gradients."""
import numpy

from . import _core
from ._core import tensor


def gradcheck(f, inputs, tolerance=0, step=0, order=4, second=False):
    """Compares the gradient of f(*inputs) with central differences, or, if `second`, the
    gradient's own gradient."""
    return _core.gradcheck(lambda given: tensor(f(*given)), [tensor(x) for x in inputs],
                           tolerance, step, order, second)


class op:
    """An op of one's own. `forward` gives the result's array from those of the inputs; the function
    that `rule` decorates gives the gradients of the inputs, one or a tuple, from that of the
    result, from the result, and from the inputs: rule(dy, y, *inputs)."""

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
        inputs = [tensor(x) for x in inputs]
        arrays = [x.numpy() for x in inputs]
        y = numpy.asarray(self.forward(*arrays)).astype(arrays[0].dtype)

        def rule(dy):
            grads = self.backward(dy.numpy(), y, *arrays)
            grads = grads if isinstance(grads, (tuple, list)) else [grads]
            if len(grads) != len(arrays):
                raise ValueError(f"{self.name}: its rule gave {len(grads)} gradients for "
                                 f"{len(arrays)} inputs")
            return [tensor(numpy.asarray(g).astype(x.dtype)) for g, x in zip(grads, arrays)]

        return _core.record(self.name, tensor(y), inputs, rule)
