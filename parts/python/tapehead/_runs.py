"""Loading and training runs with the compiled module, and explanations."""
import tomllib

import numpy

from . import _core
from ._core import Module, Run, Tape
from ._plots import heads, layers, losses
from ._shared import Sample, files, framed, metrics, settings, with_progress
from ._shown import card, preformatted

_core.Maps._repr_html_ = _core.Page._repr_html_ = framed
Run._repr_html_, Run.plot = card, losses
_core.Maps.plot, _core.AttentionMap.plot = layers, heads
Module._repr_html_ = Tape._repr_html_ = preformatted
_core.Maps.__len__ = lambda self: len(self.layers)
_core.Maps.__getitem__ = lambda self, layer: self.layers[layer]
Run.config = property(lambda self: tomllib.loads(self._toml), doc="Every option of the run.")
Run.parameters = property(lambda self: self.model.parameters,
                          doc="The parameters of the model by path.")
Run.weights = property(lambda self: {path: x.numpy() for path, x in self.parameters.items()},
                       doc="Read-only arrays of the weights by path.")
Run.metrics = property(metrics)
_model = Run.model


def _model_of(path):
    return _core.load(path).model


def _copied_model(self):
    """The run's model, a module that can be called, trained and copied."""
    model = _model.__get__(self)
    object.__setattr__(model, "_made", (_model_of, (self.path,), {}))
    return model


Run.model = property(_copied_model)


def _ids(run, tokens):
    """Returns token ids, or a text in the task's format, as an array (batch, time)."""
    ids = numpy.asarray(run.parse(tokens) if isinstance(tokens, str) else tokens)
    if ids.dtype.kind not in "iu" or ids.ndim not in (1, 2) or ids.size == 0:
        raise ValueError("tokens: expected integer ids (time) or (batch, time), got "
                         f"{ids.dtype} {ids.shape}")
    for wrong in ids[(ids < 0) | (ids >= run.vocabulary)]:
        raise ValueError(f"tokens: invalid id {wrong}; expected 0 to {run.vocabulary - 1}")
    return numpy.atleast_2d(ids)


def _logits(self, tokens):
    """Returns the model's logits for the next token at each position: (batch, time, vocabulary)."""
    return self.model(_ids(self, tokens))


def _attention(self, tokens=None):
    """Returns the attention maps of a sequence; by default of the first validation example."""
    ids = None if tokens is None else _ids(self, tokens)
    if ids is not None and len(ids) != 1:
        raise ValueError(f"attention: expected one sequence, got a batch of {len(ids)}")
    return self._maps(None if ids is None else ids[0].tolist())


def _sample(self, prompt=None, *, samples=None, temperature=None, top_k=0, top_p=1,
            tokens=None, examples=5, seed=0):
    """Generates text like `tapehead sample`, with its options. Without a prompt, starts from
    validation prompts, or from nothing if the task has none. Returns a list of Sample."""
    return [Sample(*row) for row in _core.sample(self, prompt, samples, temperature, top_k, top_p,
                                                 tokens, examples, seed)]


Run.logits, Run.attention, Run.sample = _logits, _attention, _sample


def train(task, *, preset=None, config=None, on_step=None, progress=None, **options):
    """Trains like `tapehead train TASK` and returns the run. Takes the same options: train("copy",
    steps=100, eval_every=50, out="runs/a"). `config` is a configuration file or a list of them,
    where later files win. `on_step(step, loss)` is called after each step. `progress` shows a
    progress bar; by default only in notebooks."""
    return _core.train_run(task, settings(options), preset, files(config),
                           with_progress(on_step, progress, options.get("steps")))


def explain(expression, **values):
    """Explains an expression like `tapehead explain`: str() gives text, a notebook shows a page."""
    given = {name: _core.exact(numpy.asarray(x, "float64")) for name, x in values.items()}
    dy = given.pop("dy", None)
    return _core.explain_expression(expression, list(given.items()), dy)
