"""Layers and models: those of the command, with its options, and one's own."""
import functools
import os

from . import _core
from ._core import Module, Parameter, Tensor
from ._elsewhere import of_modules
from ._shared import settings


class Parameters(dict):
    """The parameters of a module by their paths."""

    def __call__(self):
        """The same in a list, without their paths."""
        return list(self.values())


def _children(module):
    """The parts of a layer of C++ by their names, `blocks.0` among them."""
    return {name: part for depth, name, _, part in _core.parts_of(module) if depth == 0}


def _get(self, name):
    """Parts of a layer that Python doesn't know as attributes: its weight, or its blocks."""
    if not name.startswith("_") and type(self) is Module:
        parts = _children(self)
        if name in parts:
            return parts[name]
        several = [part for path, part in parts.items() if path.startswith(f"{name}.")]
        if several:
            return several
    kind = _core.type_name(self) if type(self) is Module else type(self).__name__
    if name in of_modules:
        raise AttributeError(f"{kind} has no {name!r}; here it is {of_modules[name]}")
    raise AttributeError(f"{kind} has no attribute {name!r}" + (
        "; a module of one's own has a method forward" if name == "forward" else ""))


def _set(self, name, value):
    """To set a parameter to what is none gives it that value."""
    old = getattr(self, name, None) if not name.startswith("_") else None
    if isinstance(old, Parameter) and not isinstance(value, Parameter):
        old.value = value
    elif type(self) is Module and not name.startswith("_"):
        parts = ", ".join(_children(self)) or "none"
        raise AttributeError(f"{_core.type_name(self)}: {name!r} can't be set; its parts are "
                             f"{parts}, and a parameter is set to its value")
    else:
        object.__setattr__(self, name, value)


def _shape(parameter):
    sizes = ", ".join(map(str, parameter.shape))
    return f"({sizes})" + ("" if parameter.trainable else "  frozen")


def rows(module):
    """(depth, what, how large) of a module and of all below it, for its tree."""
    def counted(start, depth):
        seen = {}
        for below, _, _, part in parts[start:]:
            if below < depth:
                break
            if isinstance(part, Parameter):
                seen[part.path] = part.size
        total = sum(seen.values())
        return f"{total:,}" if total else ""

    module.parameters  # which tells the parts their paths
    parts = _core.parts_of(module)
    found = [(0, _core.type_name(module), counted(0, 0))]
    for i, (depth, name, kind, part) in enumerate(parts):
        found.append((depth + 1, f"{name}: {kind}" if kind else name,
                      counted(i + 1, depth + 1) if kind else _shape(part)))
    return found


def _tree(self):
    """The module as a tree: names, types, shapes and numbers of elements."""
    lines = [("  " * depth + what, size) for depth, what, size in rows(self)]
    widest = max(len(left) for left, _ in lines)
    return "\n".join(f"{left:{widest}}  {right}".rstrip() for left, right in lines)


def _trainable(value):
    def change(self):
        for parameter in self.parameters.values():
            parameter.trainable = value
        return self
    change.__doc__ = ("Has optimizers change its parameters again." if value else
                      "Keeps its parameters as they are: they have no gradients.")
    return change


def _save(self, path):
    """Writes the parameters by their paths to a file of the format safetensors."""
    _core.save_weights(self, os.fspath(path))


def _load(self, path):
    """Gives the parameters the values of such a file, which has the same names and shapes: those of
    `save`, or the model.safetensors of a run."""
    _core.load_weights(self, os.fspath(path))
    return self


def _made_again(make, given, named, weights):
    module = make(*given, **named)
    object.__setattr__(module, "_made", (make, given, named))
    for path, parameter in module.parameters.items():
        parameter.value, *flags = weights[path]
        if len(flags) == 1:
            parameter._flags = flags[0]
        else:  # of a pickle by an earlier version
            parameter.trainable, parameter.decay = flags
    return module


def _part(layer, path):
    """The part of a built-in layer with this path."""
    return next(part for below, part in _core.parts_with_paths(layer) if below == path)


def _tensor(array):
    return _core.exact(array)


def _parameter(value, flags):
    parameter = Parameter(value)
    parameter._flags = flags
    return parameter


def _empty(kind):
    module = kind.__new__(kind)
    Module.__init__(module)
    return module


def _reduced(self):
    """For copies and pickles. A part of a built-in layer is that part of the layer's copy, so that
    what is shared stays shared."""
    if type(self) is not Module:
        return _empty, (type(self),), vars(self)
    if "_of" in vars(self):
        return _part, self._of
    # Not self.parameters, which would name them by their paths in this layer.
    weights = {path: (p.value, p._flags) for path, p in _core.parts_with_paths(self)
               if isinstance(p, Parameter)}
    return _made_again, (*self._made, weights)


def _reduced_parameter(self):
    if "_of" in vars(self):
        return _part, self._of
    return _parameter, (self.value, self._flags)


def _set_of_parameter(self, name, value):
    if name not in ("value", "trainable", "decay", "matrix", "_flags"):
        here = {"data": "value", "requires_grad": "trainable"}.get(name)
        raise AttributeError(f"Parameter: {name!r} can't be set" +
                             (f"; here it is {here}" if here else ""))
    object.__setattr__(self, name, value)


def _restored(self, state):
    vars(self).update(state)


Module.parameters = property(
    lambda self: Parameters(_core.parameters_of(self)),
    doc="The parameters by their paths, a dict. Whoever uses one while a tape records has it "
        "watched.")
Module.__getattr__, Module.__setattr__ = _get, _set
Module.__repr__ = Module.__str__ = _tree
Module.freeze, Module.unfreeze = _trainable(False), _trainable(True)
Module.save, Module.load = _save, _load
Module.__reduce__, Module.__setstate__ = _reduced, _restored
Tensor.__reduce__ = lambda self: (_tensor, (self.numpy(),))
Parameter.__reduce__, Parameter.__setattr__ = _reduced_parameter, _set_of_parameter


def _layer(make):
    """A layer of C++ that knows what it was made of, so that it can be copied."""
    name = make.__name__

    @functools.wraps(make)
    def made(*given, **named):
        layer = make(*given, **named)
        object.__setattr__(layer, "_made", (globals()[name], given, named))
        return layer
    return made


@_layer
def Linear(width, out, bias=True, seed=0):
    """y = x w' + b: from (..., width) to (..., out)."""
    return _core.Linear(width, out, bias, seed)


@_layer
def Embedding(rows, width, seed=0):
    """The rows of a table by ids: from (...) to (..., width)."""
    return _core.Embedding(rows, width, seed)


@_layer
def LayerNorm(width):
    """Mean 0 and variance 1 along the last axis, times a gain, plus a bias."""
    return _core.LayerNorm(width)


@_layer
def MLP(width, hidden, seed=0):
    """Two linear layers with a GELU between them, `hidden` wide."""
    return _core.MLP(width, hidden, seed)


@_layer
def Attention(width, heads, kv_heads=0, causal=False, seed=0):
    """Self-attention of several heads: from (batch, time, width) to the same."""
    return _core.Attention(width, heads, kv_heads, causal, seed)


@_layer
def GPT(vocabulary, context, seed=0, **options):
    """A GPT with its initial weights, which returns logits (batch, time, vocabulary):
    GPT(16, 32, layers=2, heads=4, position="rotary"). It has the options of `tapehead train`:

"""
    return _core.GPT(vocabulary, context, seed, settings(options))


GPT.__doc__ += _core.gpt_options()


class Sequential(Module):
    """Modules, or anything that is called with a tensor, one after the other."""

    def __init__(self, *layers):
        super().__init__()
        for i, layer in enumerate(layers):
            if not callable(layer):
                raise TypeError(f"Sequential: layer {i} can't be called: {layer!r}")
            setattr(self, str(i), layer)

    def forward(self, x):
        """Each of the last one's result."""
        for layer in self:
            x = layer(x)
        return x

    def __len__(self):
        return len(vars(self))

    def __getitem__(self, i):
        return list(vars(self).values())[i]
