#!/usr/bin/env python3
"""Prints tapehead/_ops.pyi, the type stubs of the ops, from the compiled module:
python3 parts/python/tests/stubs.py > parts/python/tapehead/_ops.pyi"""
import inspect

import tapehead
from tapehead import _ops

head = '''"""Every op of `tapehead ops`; tests/stubs.py writes this file."""
from collections.abc import Sequence
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from . import Parameter, Tensor

_TensorLike = Tensor | Parameter | ArrayLike

ops: tuple[str, ...]
'''
own = [op.__name__ for op in _ops.own]  # their stubs are in __init__.pyi
KINDS = {"flag": "bool", "whole": "int", "number": "float", "list": "int | Sequence[int]"}


def typed(parameter, argument):
    """Returns a parameter's stub. In stubs, the default of each option is None."""
    name, kind, required, words = argument
    if kind == "tensors":
        return "*parts: _TensorLike | Sequence[_TensorLike]"
    is_tensor = kind in ("tensor", "ids", "mask")
    written = "_TensorLike" if is_tensor else KINDS.get(kind) or f"Literal{words}".replace("'", '"')
    if name == "dtype":
        written = "Any"
    if required:
        return f"{name}: {written}"
    default = parameter.default
    text = f'"{default}"' if isinstance(default, str) else repr(default)
    return f"{name}: {written} | None = {text}"


def forms(name, arguments):
    """Returns an op's parameter lists: two if sizes can be a tuple or separate arguments."""
    parameters = inspect.signature(getattr(tapehead, name)).parameters.values()
    written = [typed(*both) for both in zip(parameters, arguments)]
    if arguments[-1][0] in ("shape", "order"):
        return [written, [*written[:-1], f"*{arguments[-1][0]}: int"]]
    return [written]


def definitions(name, all_forms, text, indent=""):
    many = f"{indent}@overload\n" if len(all_forms) > 1 else ""
    return "".join(f"{many}{indent}def {name}({', '.join(form)}) -> Tensor:{text}\n"
                   for form in all_forms)


def function(name, formula, arguments):
    text = formula.replace("\\", "\\\\").replace('"""', r'\"\"\"')
    return definitions(name, forms(name, arguments), f'\n    """{text}"""')


def method(name, arguments):
    """Returns the stub of an op's method, whose first tensor is self."""
    return definitions(name, [["self", *form[1:]] for form in forms(name, arguments)], " ...",
                       "    ")


def text():
    rows = [row for row in tapehead._core.ops if row[0] not in own]
    methods = [method(name, arguments) for name, _, arguments in rows if arguments[0][1] == "tensor"]
    return (head + "".join("\n" + function(*row) for row in rows) +
            '\nclass Methods:\n    """Every op as a method of its first tensor."""\n' +
            "".join(methods))


if __name__ == "__main__":
    print(text(), end="")
