"""Functions shared by runs with the compiled module and runs that call the command."""
import html
import json
import os
import re
from typing import NamedTuple

from ._shown import progress as shown_progress


class Sample(NamedTuple):
    """A generated text with its prompt and, where known, the expected text."""
    prompt: str
    text: str
    wanted: str | None = None

    @property
    def right(self):
        """Whether the generated text equals the expected text."""
        return self.text == self.wanted


def settings(options):
    """Returns (name, value) of options in the command's spelling: min_lr=True as min-lr, true."""
    return [(name.replace("_", "-"), str(value).lower() if isinstance(value, bool) else str(value))
            for name, value in options.items()]


def spelled(text):
    """Returns the text with option names in Python's spelling: --min-lr as min_lr."""
    return re.sub(r"(?<![^\s('])--([a-z][a-z0-9-]*)",
                  lambda option: option[1].replace("-", "_"), text)


def check_train(task, resume, new, on_step, on_evaluation):
    """Raises TypeError if arguments of `train` have the wrong types or can't be combined. `new` has
    arguments only for new runs."""
    if task is None and resume is None:
        raise TypeError('train: expected a task, such as "copy", or resume=RUN')
    if resume is not None and not isinstance(resume, str | os.PathLike):
        raise TypeError(f"train: resume must be the path of a run, got a {type(resume).__name__}")
    for name in [name for name, value in new.items() if resume is not None and value is not None]:
        raise TypeError(f"train: {name} has no effect on a resumed run; remove it")
    if not isinstance(new["preset"], str | None):
        raise TypeError(f"train: preset must be a name, got a {type(new['preset']).__name__}")
    for name, f, given in (("on_step", on_step, "step, loss"),
                           ("on_evaluation", on_evaluation, "step, metrics")):
        if f is not None and not callable(f):
            raise TypeError(f"train: {name} must be a function ({given}), got a {type(f).__name__}")


def is_sequence(value):
    """Returns whether a value has a length and items, and isn't a text or a dict."""
    return (hasattr(value, "__len__") and hasattr(value, "__getitem__")
            and not isinstance(value, (str, bytes, dict, type)))


def check_task(task):
    """Raises TypeError unless `task` is a task's name, a function, or a sequence of pairs."""
    if isinstance(task, str) or is_sequence(task):
        return
    kind = f"the class {task.__name__}" if isinstance(task, type) else f"a {type(task).__name__}"
    if hasattr(task, "__next__"):
        raise TypeError(f"train: {kind} can be read only once; pass a list of its pairs")
    if isinstance(task, dict):
        raise TypeError("train: expected pairs, got a dict; pass list(pairs.items()), or one split "
                        "of a data set")
    if isinstance(task, type) or not callable(task):
        raise TypeError("train: expected a task's name, a list of pairs (source, target), a frame, "
                        f"or a function of rng, got {kind}")


def files(config):
    """Returns a list of paths from `config`: None, a path, or a list of paths."""
    if config is None:
        return []
    return [os.fspath(each) for each in config] if isinstance(config, (list, tuple)) else [
        os.fspath(config)]


def metrics(run):
    """The recorded metrics, one dict for each step: step, loss, and more after an evaluation. Empty
    before the first recorded step."""
    try:
        with open(f"{run.path}/metrics.jsonl", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []


def framed(shown):
    """Returns an HTML frame with the object's page(), for a notebook."""
    return (f'<iframe srcdoc="{html.escape(shown.page())}" width="100%" height="640" '
            'style="border: 0"></iframe>')


def with_progress(on_step, progress, steps):
    """Returns the function to call after each step, which calls `on_step` and shows progress; None
    if neither is needed."""
    bar = shown_progress(steps, progress)
    if bar is None or on_step is None:
        return on_step or bar

    def both(step, loss):
        bar(step, loss)
        on_step(step, loss)
    return both
