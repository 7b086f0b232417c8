"""Optimizers with the options of `tapehead train`."""
import os

from . import _core
from ._core import Optimizer
from ._modules import Parameters
from ._shared import settings


def _optimizer(title):
    name = title.lower()

    def make(trained, **options):
        made, parameters = _core.optimizer(name, title, trained, settings(options))
        vars(made).update(_made=(title, options), _parameters=parameters)
        return made
    make.__name__ = make.__qualname__ = title
    make.__module__ = __package__
    make.__doc__ = (f"{title} for a module, a parameter, or a list or dict of them. Options, "
                    "as in `tapehead train`:\n\n" +
                    _core.optimizer_options(name, title))
    return make


AdamW, Lion, Muon, SGD = map(_optimizer, ("AdamW", "Lion", "Muon", "SGD"))


def _trained(self):
    return Parameters(vars(self).get("_parameters") or _core.trained_by(self))


def _again(kind, parameters, options):
    """Creates an optimizer: a built-in one by name, or a custom one by class."""
    if isinstance(kind, str):
        return globals()[kind](parameters, **options)
    made = kind.__new__(kind)
    Optimizer.__init__(made, parameters)
    return made


def _reduced(self):
    """Implements __reduce__, for copies and pickles. An optimizer copied together with its model
    trains the copied model."""
    kind, options = vars(self).get("_made", (type(self), {}))
    attributes = {} if "_made" in vars(self) else vars(self)
    parameters = dict(self.parameters)
    state = self.steps, self.lr, _core.optimizer_state(self, parameters), attributes
    return _again, (kind, parameters, options), state


def _restored(self, state):
    steps, lr, tensors, attributes = state
    vars(self).update(attributes)
    _core.set_optimizer_state(self, self.parameters, tensors, steps, lr)


def _state(self):
    """The optimizer's state by name, a dict of arrays (copies), such as the moments of AdamW. A
    custom optimizer can set it to a value of its own."""
    if "_made" not in vars(self):
        return vars(self).get("state", {})
    return {name: x.numpy() for name, x in
            _core.optimizer_state(self, self.parameters).items()}


def _set_state(self, state):
    vars(self)["state"] = state


def _name(self, method):
    if "_made" not in vars(self):
        raise TypeError(f"{type(self).__name__}.{method}: files support only AdamW, Lion, "
                        "Muon and SGD; use pickle for custom optimizers")
    return vars(self)["_made"][0]


def _save(self, path):
    """Writes the optimizer's state, step count and lr to a safetensors file, without the weights,
    which model.save writes."""
    _core.save_optimizer(self, _name(self, "save"), self.parameters, os.fspath(path))


def _load(self, path):
    """Loads a file that `save` wrote for the same parameters. Returns the optimizer."""
    _core.load_optimizer(self, _name(self, "load"), self.parameters, os.fspath(path))
    return self


def _set(self, name, value):
    if "_made" in vars(self) and name != "lr":
        raise AttributeError(f"{vars(self)['_made'][0]}: {name!r} can't be set, only lr; pass "
                             "other options when creating it")
    object.__setattr__(self, name, value)


Optimizer.parameters = property(_trained, doc="The trained parameters by name, a dict.")
Optimizer.state = property(_state, _set_state)
Optimizer.save, Optimizer.load = _save, _load
Optimizer.__reduce__, Optimizer.__setstate__, Optimizer.__setattr__ = _reduced, _restored, _set
