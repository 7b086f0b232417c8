"""Built-in layers, the model GPT with the options of `tapehead train`, and custom modules."""
import functools
import os

from . import _core
from ._core import Module, Parameter, Tensor
from ._elsewhere import of_modules
from ._shared import settings


class Parameters(dict):
    """The parameters of a module by path."""

    def __call__(self):
        """Returns the parameters as a list."""
        return list(self.values())


def _children(module):
    """Returns the direct parts of a module by name, such as `blocks.0`."""
    return {name: part for depth, name, _, part in _core.parts_of(module) if depth == 0}


def _get(self, name):
    """Looks up parts of a built-in layer, such as its weight or blocks, as attributes."""
    if not name.startswith("_") and type(self) is Module:
        parts = _children(self)
        if name in parts:
            return parts[name]
        several = tuple(part for path, part in parts.items() if path.startswith(f"{name}."))
        if several:
            return several
    kind = _core.type_name(self) if type(self) is Module else type(self).__name__
    if name in of_modules:
        raise AttributeError(f"{kind} has no {name!r}; use {of_modules[name]}")
    raise AttributeError(f"{kind} has no attribute {name!r}" + (
        "; a custom module must define forward" if name == "forward" else ""))


def _set(self, name, value):
    """Sets an attribute. If it is a parameter and the value isn't, sets the parameter's value."""
    old = getattr(self, name, None) if not name.startswith("_") else None
    if isinstance(old, Parameter) and not isinstance(value, Parameter):
        old.value = value
    elif type(self) is Module and not name.startswith("_"):
        parts = ", ".join(_children(self)) or "none"
        if isinstance(old, tuple) or isinstance(value, Module) and isinstance(old, Module):
            kind = _core.type_name(self)
            raise AttributeError(
                f"{kind}: {name!r} can't be replaced; write your own {kind}, and the layers around "
                "it, as tapehead.Modules that call the other parts, or replace its output with "
                "run.hook")
        raise AttributeError(f"{_core.type_name(self)}: {name!r} can't be set; its parts are "
                             f"{parts}; assign values only to its parameters")
    else:
        object.__setattr__(self, name, value)


def _shape(parameter):
    sizes = ", ".join(map(str, parameter.shape))
    return f"({sizes})" + ("" if parameter.trainable else "  frozen")


def rows(module):
    """Returns (depth, text, size) for each line of a module's tree. The size is the number of a
    module's elements, or a parameter's shape."""
    def counted(start, depth):
        seen = {}
        for below, _, _, part in parts[start:]:
            if below < depth:
                break
            if isinstance(part, Parameter):
                seen[part.path] = part.size
        total = sum(seen.values())
        return f"{total:,}" if total else ""

    module.parameters  # sets the paths of the parts
    parts = _core.parts_of(module)
    found = [(0, _core.type_name(module), counted(0, 0))]
    for i, (depth, name, kind, part) in enumerate(parts):
        found.append((depth + 1, f"{name}: {kind}" if kind else name,
                      counted(i + 1, depth + 1) if kind else _shape(part)))
    return found


def _tree(self):
    """Returns the module's tree as text: names, types, shapes and numbers of elements."""
    lines = [("  " * depth + what, size) for depth, what, size in rows(self)]
    widest = max(len(left) for left, _ in lines)
    return "\n".join(f"{left:{widest}}  {right}".rstrip() for left, right in lines)


def _trainable(value):
    def change(self):
        for parameter in self.parameters.values():
            parameter.trainable = value
        return self
    change.__doc__ = ("Makes all parameters trainable again and returns the module." if value else
                      "Freezes all parameters: no gradients, no updates. Returns the module.")
    return change


def _save(self, path):
    """Writes the parameters to a safetensors file, under their paths as names."""
    _core.save_weights(self, os.fspath(path))


def _load(self, path):
    """Loads the parameters from a file that `save` wrote, or from a run's model.safetensors. Names
    and shapes must match. Returns the module."""
    _core.load_weights(self, os.fspath(path))
    return self


def _made_again(make, given, named, weights):
    module = make(*given, **named)
    object.__setattr__(module, "_made", (make, given, named))
    for path, parameter in module.parameters.items():
        parameter.value, *flags = weights[path]
        if len(flags) == 1:
            parameter._flags = flags[0]
        else:  # pickled by an earlier version
            parameter.trainable, parameter.decay = flags
    return module


def _part(layer, path):
    """Returns the part of a built-in layer with this path."""
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
    """Implements __reduce__, for copies and pickles. A part of a built-in layer becomes the same
    part of a copy of the layer, so that shared parts remain shared."""
    if type(self) is not Module:
        return _empty, (type(self),), vars(self)
    if "_of" in vars(self):
        return _part, self._of
    # self.parameters would replace the parameters' paths by their paths in this layer.
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
                             (f"; use {here}" if here else ""))
    object.__setattr__(self, name, value)


def _restored(self, state):
    vars(self).update(state)


Module.parameters = property(
    lambda self: Parameters(_core.parameters_of(self)),
    doc="The parameters by path, a dict. A parameter is watched when it is used while a tape "
        "records.")
Module.__getattr__, Module.__setattr__ = _get, _set
Module.__repr__ = Module.__str__ = _tree
Module.freeze, Module.unfreeze = _trainable(False), _trainable(True)
Module.save, Module.load = _save, _load
Module.__reduce__, Module.__setstate__ = _reduced, _restored
Tensor.__reduce__ = lambda self: (_tensor, (self.numpy(),))
Parameter.__reduce__, Parameter.__setattr__ = _reduced_parameter, _set_of_parameter


def _layer(make):
    """Returns a function that creates a built-in layer and stores its arguments for copies."""
    name = make.__name__

    @functools.wraps(make)
    def made(*given, **named):
        layer = make(*given, **named)
        object.__setattr__(layer, "_made", (globals()[name], given, named))
        return layer
    return made


@_layer
def Linear(width, out, bias=True, seed=0):
    """Computes y = x W^T + b: (..., width) to (..., out)."""
    return _core.Linear(width, out, bias, seed)


@_layer
def Embedding(rows, width, seed=0):
    """Looks up rows of a table: ids (...) to (..., width)."""
    return _core.Embedding(rows, width, seed)


@_layer
def LayerNorm(width):
    """Normalizes the last axis to mean 0 and variance 1, then applies a gain and a bias."""
    return _core.LayerNorm(width)


@_layer
def MLP(width, hidden, seed=0):
    """Two linear layers, width to `hidden` and back, with a GELU between them."""
    return _core.MLP(width, hidden, seed)


@_layer
def Attention(width, heads, kv_heads=0, causal=False, seed=0):
    """Multi-head self-attention: (batch, time, width) to the same shape."""
    return _core.Attention(width, heads, kv_heads, causal, seed)


@_layer
def GPT(vocabulary, context, seed=0, **options):
    """A GPT with initial weights that returns logits (batch, time, vocabulary): GPT(16, 32,
    layers=2, heads=4, position="rotary"). Options, as in `tapehead train`:

"""
    return _core.GPT(vocabulary, context, seed, settings(options))


GPT.__doc__ += _core.gpt_options()


class Sequential(Module):
    """A sequence of modules or other functions of tensors, applied in order."""

    def __init__(self, *layers):
        super().__init__()
        for i, layer in enumerate(layers):
            if not callable(layer):
                raise TypeError(f"Sequential: layer {i} isn't callable: {layer!r}")
            setattr(self, str(i), layer)

    def forward(self, x):
        """Applies each layer to the previous layer's result."""
        for layer in self:
            x = layer(x)
        return x

    def __len__(self):
        return len(vars(self))

    def __getitem__(self, i):
        return list(vars(self).values())[i]
