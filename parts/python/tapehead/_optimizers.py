"""Optimizers, with the options that `tapehead train` has."""
from . import _core
from ._shared import settings


def _optimizer(name, title):
    def make(trained, **options):
        return _core.optimizer(name, trained, settings(options))
    make.__name__ = make.__qualname__ = title
    make.__doc__ = (f"{title}, which trains a module, a parameter, or a list or dict of them, with "
                    "the options that `tapehead train` has.")
    return make


AdamW, Lion, Muon, SGD = (_optimizer(name.lower(), name) for name in
                          ("AdamW", "Lion", "Muon", "SGD"))
