"""Runs, as the compiled module opens and trains them, and explanations."""
import tomllib

import numpy

from . import _core
from ._core import Module, Run, Tape
from ._plots import heads, layers, losses
from ._shared import Sample, files, framed, metrics, settings, told
from ._shown import card, preformatted

_core.Maps._repr_html_ = _core.Page._repr_html_ = framed
Run._repr_html_, Run.plot = card, losses
_core.Maps.plot, _core.AttentionMap.plot = layers, heads
Module._repr_html_ = Tape._repr_html_ = preformatted
_core.Maps.__len__ = lambda self: len(self.layers)
_core.Maps.__getitem__ = lambda self, layer: self.layers[layer]
Run.config = property(lambda self: tomllib.loads(self._toml), doc="Every option of the run.")
Run.parameters = property(lambda self: self.model.parameters,
                          doc="The parameters of the model by their paths.")
Run.weights = property(lambda self: {path: x.numpy() for path, x in self.parameters.items()},
                       doc="Arrays of the weights by their paths, which can't be written.")
Run.metrics = property(metrics)
_model = Run.model


def _model_of(path):
    return _core.load(path).model


def _copied_model(self):
    """Its model: a module, which can be called, trained and copied."""
    model = _model.__get__(self)
    object.__setattr__(model, "_made", (_model_of, (self.path,), {}))
    return model


Run.model = property(_copied_model)


def _ids(run, tokens):
    """Token ids, or a text in the form of the task, as (batch, time)."""
    ids = numpy.asarray(run.parse(tokens) if isinstance(tokens, str) else tokens)
    if ids.dtype.kind not in "iu" or ids.ndim not in (1, 2) or ids.size == 0:
        raise ValueError("tokens: takes ids, integers (time) or (batch, time), not "
                         f"{ids.dtype} {ids.shape}")
    for wrong in ids[(ids < 0) | (ids >= run.vocabulary)]:
        raise ValueError(f"tokens: {wrong} is no id; they are 0 to {run.vocabulary - 1}")
    return numpy.atleast_2d(ids)


def _logits(self, tokens):
    """What the model predicts after each token: (batch, time, vocabulary)."""
    return self.model(_ids(self, tokens))


def _attention(self, tokens=None):
    """What each head attends to in a sequence; in the first held-out example if None."""
    ids = None if tokens is None else _ids(self, tokens)
    if ids is not None and len(ids) != 1:
        raise ValueError(f"attention: maps are of one sequence, not of a batch of {len(ids)}")
    return self._maps(None if ids is None else ids[0].tolist())


def _sample(self, prompt=None, *, samples=None, temperature=None, top_k=0, top_p=1,
            tokens=None, examples=5, seed=0):
    """What `tapehead sample` generates: after a prompt, or else after held-out questions, or from
    the beginning; with its options."""
    return [Sample(*row) for row in _core.sample(self, prompt, samples, temperature, top_k, top_p,
                                                 tokens, examples, seed)]


Run.logits, Run.attention, Run.sample = _logits, _attention, _sample


def train(task, *, preset=None, config=None, on_step=None, progress=None, **options):
    """Trains as `tapehead train TASK` does, with the same options: train("copy", steps=100,
    eval_every=50, out="runs/a"). `config` is a file, or several, of which a later one decides.
    `on_step(step, loss)` is called after each step. `progress` says whether a bar shows how far it
    is; in a notebook it does. Returns the run."""
    return _core.train_run(task, settings(options), preset, files(config),
                           told(on_step, progress, options.get("steps")))


def explain(expression, **values):
    """What `tapehead explain` shows of an expression: text by str(), a page in a notebook."""
    given = {name: _core.exact(numpy.asarray(x, "float64")) for name, x in values.items()}
    dy = given.pop("dy", None)
    return _core.explain_expression(expression, list(given.items()), dy)
