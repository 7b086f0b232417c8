"""Custom gradients and activation checkpointing."""
from . import _core
from ._core import Module
from ._inputs import called, listed, parts


def custom_gradient(f, x, backward=None, *, rule=None):
    """Returns f(x), or f(*x) for a list, with custom gradients: backward(dy) returns the gradient
    of x, or a list with one for each x; None means zeros. It can be differentiated again if it
    consists of ops. `rule` is the deprecated name of `backward`."""
    backward = backward or rule
    if backward is None:
        raise TypeError("custom_gradient: missing a required argument: 'backward'")

    def grads(dy):
        given = parts("custom_gradient: the result of backward", x, backward(dy))
        return [each if each is None else _core.beside(each, [dy]) for each in given]

    return _core.custom_gradient(called(f, x), listed(x), grads)


def straight_through(f, x):
    """Returns f(x) with the gradient of x itself, as if f were the identity. For functions such as
    rounding, whose own gradient is 0."""
    return _core.straight_through(called(f, x), _core.exact(x))


def recompute(f, x, module=None):
    """Returns f(x), or f(*x) for a list, with activation checkpointing: a tape keeps only x, and
    the backward pass recomputes f. `module` is a module whose parameters f uses; f itself if f is a
    module."""
    return _core.recompute(called(f, x), listed(x), f if isinstance(f, Module) else module)
