"""Custom gradients and activation checkpointing."""
from . import _core
from ._core import Module
from ._inputs import called, listed, parts


def custom_gradient(f, x, backward=None, *, rule=None):
    """Returns f(x), or f(*x) for a list, with custom gradients. backward(dy) returns the gradient
    of x, or a list with the gradient of each x; None means zeros. If backward consists of ops, the
    gradients can be differentiated again. `rule` is the deprecated name of `backward`."""
    backward = backward or rule
    if backward is None:
        raise TypeError("custom_gradient: missing a required argument: 'backward'")

    def grads(dy):
        given = parts("custom_gradient: the result of backward", x, backward(dy))
        return [each if each is None else _core.beside(each, [dy]) for each in given]

    return _core.custom_gradient(called(f, x), listed(x), grads)


def straight_through(f, x):
    """Returns f(x) with the gradient of the identity function. For functions such as rounding,
    whose own gradient is 0."""
    return _core.straight_through(called(f, x), _core.exact(x))


def recompute(f, x, module=None):
    """Returns f(x), or f(*x) for a list, with activation checkpointing: a tape keeps only x, and
    the backward pass computes f again. If f uses the parameters of a module, pass it as `module`,
    unless f is the module."""
    return _core.recompute(called(f, x), listed(x), f if isinstance(f, Module) else module)
