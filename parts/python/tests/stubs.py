#!/usr/bin/env python3
"""Prints tapehead/_ops.pyi, what type checkers and editors know of the ops, from the compiled
module: python3 parts/python/tests/stubs.py > parts/python/tapehead/_ops.pyi"""
import inspect

import tapehead
from tapehead import _ops

head = '''"""Every op of `tapehead ops`; tests/stubs.py writes this file."""
from collections.abc import Sequence
from typing import overload

from numpy.typing import ArrayLike

from . import Parameter, Tensor

_TensorLike = Tensor | Parameter | ArrayLike
_Option = float | str | Sequence[float] | None

ops: tuple[str, ...]
'''
own = [op.__name__ for op in _ops.own]  # __init__.pyi has these


def typed(parameter, options):
    """One parameter as a stub writes it; an op's options are those that aren't tensors."""
    name, optional = parameter.name, parameter.default is None
    if name == "parts" and parameter.kind is parameter.VAR_POSITIONAL:
        return "*parts: _TensorLike | Sequence[_TensorLike]"
    kind = "_Option" if name in options else "_TensorLike | None" if optional else "_TensorLike"
    return f"{name}: {kind}" + (" = None" if optional else "")


def forms(name, options):
    """The parameters of an op; twice where sizes may be given one by one."""
    written = [typed(p, options)
               for p in inspect.signature(getattr(tapehead, name)).parameters.values()]
    if options in (["shape"], ["order"]):
        return [written, [*written[:-1], f"*{options[0]}: int"]]
    return [written]


def definitions(name, all_forms, text, indent=""):
    many = f"{indent}@overload\n" if len(all_forms) > 1 else ""
    return "".join(f"{many}{indent}def {name}({', '.join(form)}) -> Tensor:{text}\n"
                   for form in all_forms)


def function(name, options):
    formula = getattr(tapehead, name).__doc__.replace("\\", "\\\\").replace('"""', r'\"\"\"')
    return definitions(name, forms(name, options), f'\n    """{formula}"""')


def method(name, options):
    """Of the first tensor, which is self."""
    return definitions(name, [["self", *form[1:]] for form in forms(name, options)], " ...", "    ")


def text():
    rows = [row for row in tapehead._core.ops if row[0] not in own]
    methods = [method(name, options) for name, tensors, options, _ in rows
               if tensors and tensors[0] not in ("parts...", "mask", "ids")]
    return (head + "".join("\n" + function(name, options) for name, _, options, _ in rows) +
            '\nclass Methods:\n    """Every op as a method of its first tensor."""\n' +
            "".join(methods))


if __name__ == "__main__":
    print(text(), end="")
