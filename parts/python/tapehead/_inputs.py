"""What functions are differentiated by: one tensor, a list of them, or a module's parameters."""
from . import _core
from ._core import Module, exact


def listed(x):
    """One, or a list, as a list of tensors."""
    return [exact(each) for each in x] if isinstance(x, (list, tuple)) else [exact(x)]


def tensors(x):
    """The same of what may be a module, too."""
    return [p.value for p in x.parameters.values()] if isinstance(x, Module) else listed(x)


def called(f, x):
    """f as a function of a list of tensors. A module isn't passed: f uses it."""
    return lambda given: _core.beside(f() if isinstance(x, Module) else f(*given), given)


def parts(what, x, v):
    """A list of what is given for each of x, in the form of x."""
    if isinstance(x, Module):
        paths = x.parameters.keys()
        if not isinstance(v, dict) or v.keys() != paths:
            raise ValueError(f"{what} is for a module: a dict by the paths of its parameters, "
                             f"{', '.join(paths)}")
        return [v[path] for path in paths]
    if not isinstance(x, (list, tuple)):
        return [v]
    if not isinstance(v, (list, tuple)):
        raise ValueError(f"{what} is for a list of inputs: a list too, not a {type(v).__name__}")
    return v


def direction(name, x, v):
    """v as tensors, where a plain number has the type of its input."""
    inputs = tensors(x)
    return [_core.beside(each, inputs[i:i + 1])
            for i, each in enumerate(parts(f"{name}: the direction", x, v))]


def like(x, results):
    """Results for each of x as x is given: a dict by path, a list, or one."""
    if isinstance(x, Module):
        return dict(zip(x.parameters, results))
    return list(results) if isinstance(x, (list, tuple)) else results[0]
