"""What runs are in Python, whether the compiled module computes or the command does."""
import html
import json
import os
import re
from typing import NamedTuple

from ._shown import progress as shown_progress


class Sample(NamedTuple):
    """What a model generated: after which prompt, and what was wanted where that is known."""
    prompt: str
    text: str
    wanted: str | None = None

    @property
    def right(self):
        """Whether it is what was wanted."""
        return self.text == self.wanted


def settings(options):
    """Options of Python as the command spells them."""
    return [(name.replace("_", "-"), str(value).lower() if isinstance(value, bool) else str(value))
            for name, value in options.items()]


def spelled(text):
    """The text with options as Python spells them: --min-lr as min_lr."""
    return re.sub(r"(?<![^\s('])--([a-z][a-z0-9-]*)",
                  lambda option: option[1].replace("-", "_"), text)


def files(config):
    """The paths of `config`: none, one, or several, of which a later one decides."""
    if config is None:
        return []
    return [os.fspath(each) for each in config] if isinstance(config, (list, tuple)) else [
        os.fspath(config)]


def metrics(run):
    """What training recorded, a dict for each step: step, loss, and more where it evaluated. Empty
    if no step has been recorded."""
    try:
        with open(f"{run.path}/metrics.jsonl", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []


def framed(shown):
    """The page of the command, in a frame of a notebook."""
    return (f'<iframe srcdoc="{html.escape(shown.page())}" width="100%" height="640" '
            'style="border: 0"></iframe>')


def told(on_step, progress, steps):
    """What is called after each step: `on_step`, and what shows progress. None if there is neither.
    """
    bar = shown_progress(steps, progress)
    if bar is None or on_step is None:
        return on_step or bar

    def both(step, loss):
        bar(step, loss)
        on_step(step, loss)
    return both
