"""Models and optimizers, with the options that `tapehead train` has."""
from . import _core
from ._core import Module
from ._shared import settings


def GPT(vocabulary, context, seed=0, **options):
    """A GPT with its first weights; the options are those of the model that `tapehead train` has:
    GPT(16, 32, layers=2, heads=4, position="rotary"). It gives logits (batch, time, vocabulary)."""
    return _core.gpt(vocabulary, context, seed, settings(options))


def Sequential(*modules):
    """Modules one after the other."""
    return _core.Sequential(modules)


def _optimizer(name):
    def make(model, **options):
        """Trains a module, or a list of them, with the options that `tapehead train` has."""
        together = model if isinstance(model, Module) else Sequential(*model)
        return _core.optimizer(name, together, settings(options))
    return make


AdamW, Lion, Muon, SGD = map(_optimizer, ("adamw", "lion", "muon", "sgd"))
