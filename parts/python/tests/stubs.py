#!/usr/bin/env python3
"""Prints tapehead/_ops.pyi, what type checkers and editors know of the ops, from the compiled
module: python3 parts/python/tests/stubs.py > parts/python/tapehead/_ops.pyi"""
import inspect

import tapehead

head = '''"""Every op of `tapehead ops`; tests/stubs.py writes this file."""
from collections.abc import Sequence

from numpy.typing import ArrayLike

from . import Tensor

_TensorLike = Tensor | ArrayLike
_Option = float | str | Sequence[float] | None

ops: tuple[str, ...]
'''


def typed(parameter, options):
    """One parameter as a stub writes it; an op's options are those that aren't tensors."""
    name, optional = parameter.name, parameter.default is None
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{name}: _TensorLike"
    kind = "_Option" if name in options else "_TensorLike | None" if optional else "_TensorLike"
    return f"{name}: {kind}" + (" = None" if optional else "")


def stub(name, options):
    f = getattr(tapehead, name)
    parameters = ", ".join(typed(p, options) for p in inspect.signature(f).parameters.values())
    formula = f.__doc__.replace("\\", "\\\\").replace('"""', r'\"\"\"')
    return f'def {name}({parameters}) -> Tensor:\n    """{formula}"""\n'


def text():
    return head + "".join("\n" + stub(name, options) for name, _, options, _ in tapehead._core.ops)


if __name__ == "__main__":
    print(text(), end="")
