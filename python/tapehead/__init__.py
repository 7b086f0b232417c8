"""Tapehead from Python: tensors and ops on a tape, gradient checks, and runs. See docs/python.md.

Every op of `tapehead ops` is a function here, with the arguments that `tapehead explain` takes.
"""
import html
import tomllib

import numpy

from . import _core
from ._core import GradcheckResult, Run, Tape, Tensor, gradcheck, load, ops, tensor

globals().update({name: getattr(_core, name) for name in ops})


def _operators():
    both = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow",
            "matmul": "matmul"}
    for name, op in both.items():
        f = getattr(_core, op)
        setattr(Tensor, f"__{name}__", lambda a, b, f=f: f(a, b))
        setattr(Tensor, f"__r{name}__", lambda a, b, f=f: f(b, a))
    Tensor.__neg__ = lambda x: _core.neg(x)
    Tensor.__lt__ = lambda a, b: _core.less(a, b)
    Tensor.__le__ = lambda a, b: _core.less_equal(a, b)
    Tensor.__gt__ = lambda a, b: _core.less(b, a)
    Tensor.__ge__ = lambda a, b: _core.less_equal(b, a)


_operators()


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
Run.weights = property(lambda self: {path: x.numpy() for path, x in self.parameters.items()},
                       doc="Arrays of the weights by their paths, which can't be written.")


def train(task, *, preset=None, config=None, on_step=None, **options):
    """Trains as `tapehead train TASK` does, with the same options: train("copy", steps=100,
    eval_every=50, out="runs/a"). `on_step(step, loss)` is called after each step. Returns the run.
    """
    settings = [(name.replace("_", "-"), str(value).lower() if isinstance(value, bool) else
                 str(value)) for name, value in options.items()]
    return _core.train_run(task, settings, preset, "" if config is None else str(config), on_step)


def explain(expression, **values):
    """What `tapehead explain` shows of an expression: text by str(), a page in a notebook."""
    return _core.explain_expression(expression, values)
