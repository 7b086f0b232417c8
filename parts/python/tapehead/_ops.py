"""Every op of `tapehead ops` as a function, and the operators of tensors."""
import inspect

import numpy

from . import _core
from ._core import Tensor

ops = tuple(name for name, *_ in _core.ops)


def _op(name, tensors, options, formula):
    """The op as a function of its tensors and options."""
    parts, kind = tensors[:1] == ["parts..."], inspect.Parameter
    parameters = [kind(t.strip(".?"), kind.VAR_POSITIONAL if parts else kind.POSITIONAL_OR_KEYWORD,
                       default=None if t.endswith("?") else kind.empty) for t in tensors]
    parameters += [kind(o, kind.KEYWORD_ONLY if parts else kind.POSITIONAL_OR_KEYWORD, default=None)
                   for o in options]
    signature = inspect.Signature(parameters)

    def f(*given, **named):
        try:
            found = signature.bind(*given, **named)
        except TypeError as error:
            raise TypeError(f"{name}{signature}: {error}") from None
        found.apply_defaults()
        chosen = {o: found.arguments.pop(o) for o in options}
        return _core.call(name, found.args, chosen)

    f.__name__, f.__doc__, f.__signature__ = name, formula, signature
    return f


globals().update({row[0]: _op(*row) for row in _core.ops})

for _name, _f in {"add": add, "sub": sub, "mul": mul, "truediv": div, "pow": pow,
                  "matmul": matmul, "lt": less, "le": less_equal}.items():
    _turned = {"lt": "gt", "le": "ge"}.get(_name, "r" + _name)  # the one that swaps the two
    setattr(Tensor, f"__{_name}__", _f)
    setattr(Tensor, f"__{_turned}__", lambda a, b, f=_f: f(b, a))
Tensor.__neg__ = neg
Tensor.__array_ufunc__ = None  # so that array + tensor asks the tensor
Tensor.__array__ = lambda x, dtype=None, copy=None: (  # NumPy 1 knows no None there
    numpy.asarray(x.numpy(), dtype) if copy is None else numpy.array(x.numpy(), dtype, copy=copy))

__all__ = [*ops, "ops"]
