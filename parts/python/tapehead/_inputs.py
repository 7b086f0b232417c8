"""Inputs of differentiation: one tensor, a list of them, or a module's parameters."""
from . import _core
from ._core import Module, exact


def listed(x):
    """Returns a list of tensors, converted from one value or a list of values."""
    return [exact(each) for each in x] if isinstance(x, (list, tuple)) else [exact(x)]


def tensors(x):
    """Returns a list of tensors like `listed`; for a module, its parameters."""
    return [p.value for p in x.parameters.values()] if isinstance(x, Module) else listed(x)


def called(f, x):
    """Returns f as a function of a list of tensors. If x is a module, calls f without arguments."""
    return lambda given: _core.beside(f() if isinstance(x, Module) else f(*given), given)


def parts(what, x, v):
    """Returns v, which has the structure of x (one value, list or dict), as a list. `what` names v
    in errors."""
    if isinstance(x, Module):
        paths = x.parameters.keys()
        if not isinstance(v, dict) or v.keys() != paths:
            raise ValueError(f"{what} must be a dict by parameter path for a module: "
                             f"{', '.join(paths)}")
        return [v[path] for path in paths]
    if not isinstance(x, (list, tuple)):
        return [v]
    if not isinstance(v, (list, tuple)):
        raise ValueError(f"{what} must be a list for a list of inputs, got a {type(v).__name__}")
    return v


def direction(name, x, v):
    """Returns the direction v as a list of tensors; a plain number gets the type of its input."""
    inputs = tensors(x)
    return [_core.beside(each, inputs[i:i + 1])
            for i, each in enumerate(parts(f"{name}: the direction", x, v))]


def like(x, results):
    """Returns results in the structure of x: a dict by path for a module, a list, or one result."""
    if isinstance(x, Module):
        return dict(zip(x.parameters, results))
    return list(results) if isinstance(x, (list, tuple)) else results[0]
