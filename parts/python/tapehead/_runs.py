"""Loading and training runs with the compiled module, and explanations."""
import json
import math
import os
import tomllib
import warnings

import numpy

from . import _core
from ._core import Module, Run, Tape
from ._examples import Drawing, examples_of, explained
from ._hooks import (ablate, capture, circuit, edge_attribution, hook, patch, path_patch, points,
                     probe, score)
from ._modules import GPT
from ._plots import experiment, grid, heads, layers, losses
from ._shared import (Sample, check_task, check_train, files, framed, metrics, settings, spelled,
                      with_progress)
from ._shown import card, preformatted

_core.Maps._repr_html_ = _core.Page._repr_html_ = _core.Experiment._repr_html_ = framed
Run._repr_html_, Run.plot = card, losses
_core.Maps.plot, _core.AttentionMap.plot = layers, heads
_core.Experiment.plot, _core.Grid.plot = experiment, grid
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
    object.__setattr__(model, "_toml", self._toml)  # for save_run
    return model


Run.model = property(_copied_model)


def _ids(run, tokens):
    """Returns token ids, or texts in the task's format, as an array (batch, time)."""
    if isinstance(tokens, str):
        tokens = [tokens]
    if isinstance(tokens, (list, tuple)) and tokens and all(isinstance(t, str) for t in tokens):
        tokens = [run.parse(text) for text in tokens]
        lengths = {len(each) for each in tokens}
        if len(lengths) > 1:
            raise ValueError(f"tokens: the texts have {min(lengths)} to {max(lengths)} tokens, "
                             "expected equal lengths; pass them one by one")
    ids = numpy.asarray(tokens)
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


def _validation(self, examples=256):
    """Returns the first validation (held-out) examples as two arrays, inputs and targets, in the
    form in which the model trains on them. For a GPT, both are ids (examples, time), and -1 marks
    positions without a target."""
    inputs, targets = _core.validation(self, examples)
    return inputs.numpy(), targets.numpy()


for _f in (_logits, _attention, _sample, _validation):
    _f.__qualname__ = "Run." + _f.__name__.lstrip("_")  # for errors about arguments
Run.logits, Run.attention, Run.sample = _logits, _attention, _sample
Run.validation, Run.points, Run.hook, Run.capture = _validation, points, hook, capture
Run.ablate, Run.patch, Run.path_patch = ablate, patch, path_patch
Run.edge_attribution, Run.circuit, Run.probe = edge_attribution, circuit, probe
Run.score = score


def _resumed(task, path, options, on_step, on_evaluation, progress):
    """Continues a run, and returns its path."""
    steps, name, recorded = _core.recorded_in(path)
    on_step = with_progress(on_step, progress, options.get("steps", steps))
    draw = None
    if name and not callable(task):
        raise TypeError(f"train: the examples of {path} come from the function {name}; call "
                        f'tapehead.train({name}, resume="{path}")')
    if name:
        draw = Drawing(task)
        if recorded and draw.digest != recorded:
            warnings.warn(f"{draw.name} has changed since {path} was trained on it", stacklevel=3)
    elif not isinstance(task, str | None):
        raise TypeError(f"train: {path} has its own examples; call "
                        f'tapehead.train(resume="{path}")')
    return _core.resume_run(path, task if isinstance(task, str) else "", settings(options), draw,
                            on_step, on_evaluation)


def train(task=None, *, resume=None, validation=None, preset=None, config=None, on_step=None,
          on_evaluation=None, progress=None, **options):
    """Trains like `tapehead train TASK` and returns the run. Takes the same options: train("copy",
    steps=100, eval_every=50, out="runs/a"). Instead of a task's name, `task` can be your own
    examples for the task `pairs`:
    - a list of pairs (source, target), a frame, or a sequence of dicts with these keys
    - a function of rng, a numpy.random.Generator, that returns a pair; rng depends only on the
      seed, the step and the example's number

    `validation` is a number of examples, a list of pairs, or a file. `config` is a configuration
    file or a list of them, where later files win.

    `resume` is the path of a run to continue. Give a function again, and only changed options:
    train(f, resume="runs/f", steps=4000).

    `on_step(step, loss)` is called after each step, and `on_evaluation(step, metrics)` after each
    evaluation, with a line of metrics.jsonl as a dict. Training stops if it returns True, and after
    an exception or Ctrl+C; you can resume the run. `progress` shows a progress bar; by
    default only in notebooks."""
    new = {"validation": validation, "preset": preset, "config": config}
    check_train(task, resume, new, on_step, on_evaluation)
    if resume is not None:
        return _core.load(_resumed(task, os.fspath(resume), options, on_step, on_evaluation,
                                   progress))
    check_task(task)
    name, given = examples_of(task, validation, options)
    on_step = with_progress(on_step, progress, options.get("steps"))
    try:
        path = _core.train_run(name, settings(given.options), preset, files(config), given.name,
                               given.texts, given.draw, given.sample, on_step, on_evaluation)
    except (OSError, ValueError) as error:
        if (text := explained(str(error))) == str(error):
            raise
        raise ValueError(spelled(text)) from None
    return _core.load(path)


def _line(model, entry, last):
    """Returns a dict of metrics as a line of metrics.jsonl."""
    missing = [key for key in ("step", "loss") if key not in entry]
    if missing:
        raise ValueError(f"save_run: metrics: an entry lacks {missing[0]!r}, got {dict(entry)}")
    values = {key: value.item() if hasattr(value, "item") else value
              for key, value in entry.items()}
    for key, kinds in ("step", int), ("loss", (int, float)):
        if not isinstance(values[key], kinds) or key == "step" and values[key] < 0:
            wanted = "an integer of at least 0" if key == "step" else "a number"
            raise ValueError(f"save_run: metrics: {key} must be {wanted}, got {values[key]!r}")
    if last:
        values.setdefault("digest", _core.digest(model))
    return json.dumps({key: None if isinstance(value, float) and not math.isfinite(value) else
                       value for key, value in values.items()})


def save_run(model, path, metrics=(), task=None, **options):
    """Writes a run folder, which all commands can open, and returns the run. The model is a GPT, or
    comes from a run, whose options the new run then has.

    `metrics` is a list of dicts with "step", "loss" and optional values such as "val_loss"; the
    last step is the run's. By default, the tokens of a GPT are ids without examples, and
    `data="ids.npy"` names a file of ids for validation. With `task` and its options, such as
    task="copy", length=5, the tokens and examples are that task's."""
    make, _, named = getattr(model, "__dict__", {}).get("_made", (None, (), {}))
    of_run = vars(model)["_toml"] if make is _model_of else None
    if make not in (GPT, _model_of):
        kind = _core.type_name(model) if isinstance(model, Module) else type(model).__name__
        raise TypeError("save_run: the model must be a tapehead.GPT or a run's model, got a "
                        f"{kind}; model.save writes the weights of other modules")
    if of_run is not None and (task is not None or options):
        raise TypeError("save_run: a run's model keeps the task and options of its run; remove "
                        f"{', '.join((['task'] if task is not None else []) + list(options))}")
    metrics = list(metrics)
    lines = [_line(model, entry, entry is metrics[-1]) for entry in metrics]
    steps = metrics[-1]["step"] if metrics else 0
    sizes = "vocabulary", "context", "seed"
    of_gpt = {} if of_run else {name: x for name, x in named.items() if name not in sizes}
    return _core.load(_core.save_run(model, os.fspath(path), of_run, settings(of_gpt), task,
                                     settings(options), steps, lines))


def explain(expression, **values):
    """Explains an expression like `tapehead explain`: str() gives text, a notebook shows a page."""
    given = {name: _core.exact(numpy.asarray(x, "float64")) for name, x in values.items()}
    dy = given.pop("dy", None)
    return _core.explain_expression(expression, list(given.items()), dy)
