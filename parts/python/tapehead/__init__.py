"""Tapehead from Python: tensors and ops on a tape, gradient checks, and runs. See parts/python/python.md.

Every op of `tapehead ops` is a function here, with the arguments that `tapehead explain` takes.
"""
import html
import inspect
import tomllib

import numpy

from . import _core
from ._core import (MLP, Attention, Embedding, GradcheckResult, Gradients, LayerNorm, Linear,
                    Module, Optimizer, Run, Tape, Tensor, from_dlpack, load, tensor)

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
Tensor.__array__ = lambda x, dtype=None, copy=None: numpy.array(x.numpy(), dtype, copy=copy)


def gradcheck(f, inputs, tolerance=0, step=0, order=4, second=False):
    """Compares the gradient of f(*inputs) with central differences, or, if `second`, the
    gradient's own gradient."""
    return _core.gradcheck(lambda given: tensor(f(*given)), [tensor(x) for x in inputs],
                           tolerance, step, order, second)


class op:
    """An op of one's own. `forward` gives the result's array from those of the inputs; the function
    that `rule` decorates gives the gradients of the inputs, one or a tuple, from that of the
    result, from the result, and from the inputs: rule(dy, y, *inputs)."""

    def __init__(self, forward):
        self.forward, self.backward, self.name = forward, None, forward.__name__
        self.__doc__ = forward.__doc__

    def rule(self, backward):
        self.backward = backward
        return self

    def __call__(self, *inputs):
        if self.backward is None:
            raise ValueError(f"{self.name}: has no rule; give one by @{self.name}.rule")
        inputs = [tensor(x) for x in inputs]
        arrays = [x.numpy() for x in inputs]
        y = numpy.asarray(self.forward(*arrays)).astype(arrays[0].dtype)

        def rule(dy):
            grads = self.backward(dy.numpy(), y, *arrays)
            grads = grads if isinstance(grads, (tuple, list)) else [grads]
            if len(grads) != len(arrays):
                raise ValueError(f"{self.name}: its rule gave {len(grads)} gradients for "
                                 f"{len(arrays)} inputs")
            return [tensor(numpy.asarray(g).astype(x.dtype)) for g, x in zip(grads, arrays)]

        return _core.record(self.name, tensor(y), inputs, rule)


def _shown(self):
    """The page of the command, in a frame of a notebook."""
    return (f'<iframe srcdoc="{html.escape(self.page())}" width="100%" height="640" '
            'style="border: 0"></iframe>')


_core.Maps._repr_html_ = _core.Page._repr_html_ = _shown
_core.Maps.__len__ = lambda self: len(self.layers)
_core.Maps.__getitem__ = lambda self, layer: self.layers[layer]
Run.config = property(lambda self: tomllib.loads(self.toml), doc="Every option of the run.")
Run.parameters = property(lambda self: self.model.parameters)
Run.weights = property(lambda self: {path: x.numpy() for path, x in self.parameters.items()},
                       doc="Arrays of the weights by their paths, which can't be written.")


def _ids(run, tokens):
    """Token ids, or a text in the form of the task, as (batch, time)."""
    ids = numpy.asarray(run.parse(tokens) if isinstance(tokens, str) else tokens)
    if ids.dtype.kind not in "iu" or ids.ndim not in (1, 2) or ids.size == 0:
        raise ValueError("tokens: takes ids, integers (time) or (batch, time), not "
                         f"{ids.dtype} {ids.shape}")
    for wrong in ids[(ids < 0) | (ids >= run.vocabulary)]:
        raise ValueError(f"tokens: {wrong} is no id; they are 0 to {run.vocabulary - 1}")
    return numpy.atleast_2d(ids)


def _attention(self, tokens=None):
    """What each head attends to in a sequence; in the first held-out example if None."""
    ids = None if tokens is None else _ids(self, tokens)
    if ids is not None and len(ids) != 1:
        raise ValueError(f"attention: maps are of one sequence, not of a batch of {len(ids)}")
    return self.maps(None if ids is None else ids[0].tolist())


Run.logits = lambda self, tokens: self.model(_ids(self, tokens))
Run.attention = _attention


def _settings(options):
    """Options of Python as the command spells them."""
    return [(name.replace("_", "-"), str(value).lower() if isinstance(value, bool) else str(value))
            for name, value in options.items()]


def GPT(vocabulary, context, seed=0, **options):
    """A GPT with its first weights; the options are those of the model that `tapehead train` has:
    GPT(16, 32, layers=2, heads=4, position="rotary"). It gives logits (batch, time, vocabulary)."""
    return _core.gpt(vocabulary, context, seed, _settings(options))


def Sequential(*modules):
    """Modules one after the other."""
    return _core.Sequential(modules)


def _optimizer(name):
    def make(model, **options):
        """Trains a module, or a list of them, with the options that `tapehead train` has."""
        together = model if isinstance(model, Module) else Sequential(*model)
        return _core.optimizer(name, together, _settings(options))
    return make


AdamW, Lion, Muon, SGD = map(_optimizer, ("adamw", "lion", "muon", "sgd"))


def train(task, *, preset=None, config=None, on_step=None, **options):
    """Trains as `tapehead train TASK` does, with the same options: train("copy", steps=100,
    eval_every=50, out="runs/a"). `on_step(step, loss)` is called after each step. Returns the run.
    """
    return _core.train_run(task, _settings(options), preset, str(config or ""), on_step)


def explain(expression, **values):
    """What `tapehead explain` shows of an expression: text by str(), a page in a notebook."""
    given = {name: tensor(numpy.asarray(x, "float64")) for name, x in values.items()}
    dy = given.pop("dy", None)
    return _core.explain_expression(expression, list(given.items()), dy)
