"""Tests that the type stubs and the documentation match the package."""
import ast
import inspect
import pathlib
import re

import pytest

import stubs
import tapehead
from tapehead import _command, _ops

SOURCES = pathlib.Path(__file__).parents[1] / "tapehead"
ALL = {node.name: node for file in ("_ops.pyi", "__init__.pyi")
       for node in ast.parse((SOURCES / file).read_text()).body
       if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
STUB = {name: node for name, node in ALL.items() if not name.startswith("_")
        and name != "Methods"}
OF_THE_TABLE = set(tapehead.ops) - {op.__name__ for op in _ops.own}
CLASSES = [name for name, node in STUB.items() if isinstance(node, ast.ClassDef)]
CONSTANTS = {"numerics", "ops"}
FUNCTIONS = [name for name in STUB if name not in CLASSES and name not in OF_THE_TABLE]


def public(names):
    return {name for name in names if not name.startswith("_")}


def members(node):
    """Returns the public names, also of fields, in the stubs of a class and its bases."""
    own = public(inner.target.id if isinstance(inner, ast.AnnAssign) else inner.name
                 for inner in node.body
                 if isinstance(inner, (ast.AnnAssign, ast.FunctionDef)))
    bases = [ALL[base.id] for base in node.bases if getattr(base, "id", None) in ALL]
    return own.union(*map(members, bases))


def parameters(f):
    """Returns a function's parameter names, from its signature or its pybind11 docstring."""
    try:
        return list(inspect.signature(f).parameters)
    except ValueError:
        inside = re.match(r"\w+\((.*)\)", f.__doc__.splitlines()[0])[1]
        return re.findall(r"(?:^|, )\*?(\w+)(?=:|,|$)", inside)


def documented(thing):
    lines = [line for line in (inspect.getdoc(thing) or "").splitlines() if line.strip()]
    return [line for line in lines if not re.match(r"\w+\(.*\) ->", line)]


def test_the_ops_file_is_what_its_script_writes():
    assert (SOURCES / "_ops.pyi").read_text() == stubs.text()


def test_all_names_are_in_the_stubs():
    assert STUB.keys() | CONSTANTS == set(tapehead.__all__)
    assert len(set(tapehead.__all__)) == len(tapehead.__all__)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_the_members_of_their_stubs(name):
    found = getattr(tapehead, name)
    of_tuples = public(dir(tuple)) | {"_asdict"} if issubclass(found, tuple) else set()
    fields = {"forward", "backward", "name"} if name == "op" else set()  # attributes of instances
    assert members(STUB[name]) == public(dir(found)) - of_tuples | fields


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_parameters_of_their_stubs(name):
    written = STUB[name].args
    names = [a.arg for a in written.args] + [a.arg for a in (written.vararg,) if a]
    names += [a.arg for a in written.kwonlyargs] + [a.arg for a in (written.kwarg,) if a]
    assert parameters(getattr(tapehead, name)) == names


def test_methods_of_runs_have_the_parameters_of_their_stubs():
    for node in STUB["Run"].body:
        if node.name in ("attention", "evaluate", "logits", "sample"):
            names = [a.arg for a in node.args.args + node.args.kwonlyargs]
            assert parameters(getattr(tapehead.Run, node.name)) == names
            if node.name not in _command.compiled_of_runs:
                assert parameters(getattr(_command.Run, node.name)) == names


@pytest.mark.parametrize("package", [tapehead, _command], ids=["compiled", "command"])
def test_every_public_name_is_documented(package):
    for name in public(package.__all__) - CONSTANTS:
        thing = getattr(package, name)
        assert documented(thing), name
        if isinstance(thing, type) and not issubclass(thing, tuple):
            for inner in public(vars(thing)):
                assert documented(vars(thing)[inner]), f"{name}.{inner}"


def test_what_the_command_has_and_refuses_is_all():
    assert set(_command.__all__) | _command.compiled | set(tapehead.ops) == set(tapehead.__all__)
    here = public(dir(_command.Run)) | {"path", "steps"}
    assert here | _command.compiled_of_runs == public(dir(tapehead.Run))
