"""Gradients that aren't those of the ops that compute a value."""
from . import _core
from ._core import Module
from ._inputs import called, listed, parts


def custom_gradient(f, x, rule):
    """f(x), or f(*x) of a list, whose gradients are what rule(dy) gives: one, or a list with one
    for each of x; None for zeros. A rule that is made of ops can be differentiated again."""
    def grads(dy):
        given = parts("custom_gradient: what the rule gives", x, rule(dy))
        return [each if each is None else _core.beside(each, [dy]) for each in given]

    return _core.custom_gradient(called(f, x), listed(x), grads)


def straight_through(f, x):
    """f(x) with the gradient of x itself, as if f weren't there: for rounding and the like, whose
    own gradient is 0."""
    return _core.straight_through(called(f, x), _core.exact(x))


def recompute(f, x, module=None):
    """f(x), or f(*x) of a list, of which a tape keeps x alone: f is computed again in backward.
    `module` is what f uses besides, if it has parameters; f itself, where f is a module."""
    return _core.recompute(called(f, x), listed(x), f if isinstance(f, Module) else module)
