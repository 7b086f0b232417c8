"""Examples for `train` from Python: lists, frames, data sets, and functions that draw them."""
import functools
import hashlib
import inspect
import itertools
import json
import os
import re
from typing import Any, NamedTuple

from numpy.random import Generator, Philox, SeedSequence
from numpy.random.bit_generator import ISpawnableSeedSequence

from . import _core
from ._shared import is_sequence

SAMPLE = 10_000  # draws that determine the vocabulary and the lengths
VALIDATION = 500  # validation examples of a function
ATTEMPTS = 1000  # draws until one is for validation
COMPARED = 10  # draws that are repeated
_HALVES = "source", "target"


class Examples(NamedTuple):
    """Examples of a new run of the task `pairs`."""
    name: str  # of the run folder
    options: dict
    texts: dict  # JSON lines by file option
    draw: Any = None  # a Drawing
    sample: list = []  # pairs that determine the vocabulary and the lengths


def _shown(value):
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"a {type(value).__name__}"


def _pair(value, place):
    """Returns (source, target); `place` names the example in errors."""
    if isinstance(value, dict):
        missing = [key for key in ("source", "target") if key not in value]
        if missing:
            raise TypeError(f"{place}: expected the keys 'source' and 'target', got "
                            f"{_shown(list(value))}")
        pair = value["source"], value["target"]
    elif isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or len(value) != 2:
        raise TypeError(f"{place}: expected a pair (source, target), got {_shown(value)}")
    else:
        pair = tuple(value)
    for half, text in zip(_HALVES, pair):
        if not isinstance(text, str):
            raise TypeError(f"{place}: the {half} must be a string, got {_shown(text)}")
        if not text:
            raise ValueError(f"{place}: the {half} is empty")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{place}: the {half} isn't valid Unicode, got {_shown(text)}"
                             ) from None
    return pair


def _lines(pairs):
    """Returns pairs as JSON lines."""
    return "".join(json.dumps({"source": source, "target": target}, ensure_ascii=False) + "\n"
                   for source, target in pairs)


def _frame_pairs(frame):
    names = list(frame.columns)
    if "source" in names and "target" in names:
        names = ["source", "target"]
    if len(names) != 2:
        raise ValueError("train: the frame must have columns 'source' and 'target', or two "
                         f"columns, got {_shown(names)}")
    return list(zip(*(list(frame[name]) for name in names)))


def _pairs(values, name):
    """Returns the pairs of a sequence or a frame; `name` names it in errors."""
    is_frame = hasattr(values, "columns") and hasattr(values, "itertuples")
    items = (_frame_pairs(values) if is_frame else values if hasattr(values, "__iter__") else
             [values[i] for i in range(len(values))])
    pairs = [_pair(each, f"{name}[{i}]") for i, each in enumerate(items)]
    if not pairs:
        raise ValueError(f"train: {name} has no pairs")
    return pairs


# ---- functions

class _Seeds(ISpawnableSeedSequence):
    """The seed of an example, for rng.spawn."""

    def start(self, *words):
        self._words, self._sequence = words, None

    def generate_state(self, n_words, dtype="uint32"):
        return SeedSequence(0).generate_state(n_words, dtype)

    def spawn(self, n_children):
        self._sequence = self._sequence or SeedSequence(self._words)
        return self._sequence.spawn(n_children)


def _plain(function):
    """Returns the function that a partial or a callable object calls."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if hasattr(function, "__name__") else type(function).__call__


def _code(code):
    """Returns the instructions, names and constants of a code object."""
    constants = [_code(each) if inspect.iscode(each) else repr(each) for each in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


def _source_digest(function):
    """Returns the beginning of the SHA-256 of a function's source or, without source, its code."""
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        text = (_code(function.__code__) if hasattr(function, "__code__") else
                function.__qualname__)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Drawing:
    """Draws examples: calls a function with a generator whose numbers depend only on the arguments
    of the call."""

    def __init__(self, function):
        plain = _plain(function)
        is_object = plain.__name__ == "__call__"
        self.name = plain.__qualname__.split(".")[-2] if is_object else plain.__name__
        self.digest = _source_digest(plain)
        self._place = f"{self.name}: the result"
        self._function = function
        self._seeds = _Seeds()
        self._bits = Philox(self._seeds)
        self._random = Generator(self._bits)

    def __call__(self, seed, step, number, attempt, stream=0):
        self._seeds.start(seed, stream, step, number, attempt)
        self._bits.state = {  # 15 times as fast as a new generator
            "bit_generator": "Philox",
            "state": {"counter": (0, attempt, number, step), "key": (seed, stream)},
            "buffer": (0, 0, 0, 0), "buffer_pos": 4, "has_uint32": 0, "uinteger": 0}
        try:
            return _pair(self._function(self._random), self._place)
        except BaseException as error:
            error.add_note(f"example {number} of step {step} (seed {seed})" if stream == 0 else
                           f"example {number} of the draws before the first step")
            raise

    def sample(self, validation):
        """Returns pairs for the vocabulary, and `validation` pairs that are held out. Their draws
        don't depend on the run's seed."""
        pairs, held_out, without = [], [], 0
        for number in itertools.count():
            if number >= SAMPLE and len(held_out) >= validation:
                break
            pair = self(0, 0, number, 0, stream=1)
            pairs.append(pair)
            without += 1
            if len(held_out) < validation and _core.is_validation_source(pair[0]):
                held_out.append(pair)
                without = 0
            if without == ATTEMPTS and len(held_out) < validation:
                raise ValueError(f"train: {ATTEMPTS} draws of {self.name} gave no source for "
                                 "validation (one in sixteen, by its hash); pass "
                                 "validation=[(source, target), ...]")
        for number, pair in enumerate(pairs[:COMPARED]):
            again = self(0, 0, number, 0, stream=1)
            if again != pair:
                raise ValueError(f"train: {self.name} returned {_shown(pair)} and then "
                                 f"{_shown(again)} for the same rng; use no other random numbers "
                                 "or changing state")
        return pairs, held_out


# ---- arguments of train

def _vocabulary(tokens, kind):
    """Returns a vocabulary as a JSON array: of a list, or of the tokens in a text."""
    if isinstance(tokens, str):
        if tokens.startswith('["') or kind in ("bytes", "ids"):
            return tokens
        tokens = tokens.split() if kind == "words" else list(tokens)
    return json.dumps(list(dict.fromkeys(tokens)), ensure_ascii=False)


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _validated(validation, options, takes_pairs):
    """Returns the options, with a count or a file in them, and JSON lines of a list of pairs."""
    if validation is None:
        return options, {}
    for name in "held_out", "eval_examples":
        if name in options:
            raise TypeError(f"train: validation and {name} can't be combined; remove one")
    if _is_count(validation):
        if validation < 1:
            raise ValueError(f"train: validation must be at least 1, got {validation}")
        return options | {"eval_examples": validation}, {}
    if isinstance(validation, str | os.PathLike):
        return options | {"held_out": validation}, {}
    if not is_sequence(validation):
        raise TypeError("train: validation must be a number of examples, a list of pairs (source, "
                        f"target), or a file, got {_shown(validation)}")
    if not takes_pairs:
        raise TypeError("train: a list for validation needs pairs as examples; pass a number")
    return options, {"held-out": _lines(_pairs(validation, "validation"))}


def examples_of(task, validation, options):
    """Returns the name of the task, and Examples. `task` is a name, pairs, or a function."""
    takes_pairs = not isinstance(task, str) or task == "pairs"
    options, texts = _validated(validation, options, takes_pairs)
    if isinstance(task, str):
        return task, Examples(task, options, texts)
    for name in "data", "function":
        if name in options:
            raise TypeError(f"train: {name} can't be combined with examples from Python; remove it")
    if "vocabulary" in options:
        tokens = options.get("tokens", "characters")
        options = options | {"vocabulary": _vocabulary(options["vocabulary"], tokens)}
    if is_sequence(task):
        return "pairs", Examples("pairs", options, {"data": _lines(_pairs(task, "pairs"))} | texts)
    draw = Drawing(task)
    count = options.pop("eval_examples") if _is_count(validation) else VALIDATION
    sample, held_out = draw.sample(0 if texts or "held_out" in options else count)
    if held_out:
        texts = {"held-out": _lines(held_out)}
    folder = re.sub(r"\W+", "-", draw.name).strip("-") or "function"
    return "pairs", Examples(folder, options | {"function": draw.name}, texts, draw, sample)


def explained(text):
    """Replaces lines of a run's files by examples in an error's text."""
    for file, name in ("data", "pairs"), ("validation", "validation"):
        text = re.sub(rf"^.*\b{file}\.jsonl: line (\d+)", lambda m: f"{name}[{int(m[1]) - 1}]",
                      text, flags=re.S)
        text = re.sub(rf"^.*\b{file}\.jsonl: ", "train: ", text, flags=re.S)
    return text.replace("--held-out FILE", "validation=[(source, target), ...]")
