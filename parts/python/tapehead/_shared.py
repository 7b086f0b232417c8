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


def check_task(task, preset, on_step):
    """Raises TypeError if an argument of `train` has the wrong type."""
    if not isinstance(task, str):
        kind = "function" if callable(task) else type(task).__name__
        raise TypeError('train: the task must be the name of a task, such as "copy", got a '
                        f"{kind}; train on your own examples with a tape and an optimizer, and "
                        "save_run")
    if not isinstance(preset, str | None):
        raise TypeError(f"train: preset must be a name, got a {type(preset).__name__}")
    if on_step is not None and not callable(on_step):
        raise TypeError("train: on_step must be a function (step, loss), got a "
                        f"{type(on_step).__name__}")


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
