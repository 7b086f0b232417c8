"""Tests training on examples from Python: lists, frames, data sets and functions."""
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import warnings

import numpy as np
import pytest

import tapehead
from tapehead._examples import Drawing

SMALL = {"layers": 1, "heads": 1, "width": 8, "batch": 8, "eval_every": 5}
NUMERALS = list(zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
                    "M CM D CD C XC L XL X IX V IV I".split()))


def to_roman(n):
    text = ""
    for value, letters in NUMERALS:
        text, n = text + letters * (n // value), n % value
    return text


PAIRS = [(to_roman(n), str(n)) for n in range(1, 400)]


def roman(rng):
    n = int(rng.integers(1, 4000))
    return to_roman(n), str(n)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def train(task, steps=10, **options):
    return tapehead.train(task, steps=steps, **SMALL | options)


def command(*words, fails=False):
    path = os.environ.get("TAPEHEAD_COMMAND") or pytest.skip("TAPEHEAD_COMMAND names no command")
    done = subprocess.run([path, *words], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


def refused(error, text, *args, **options):
    """Checks the error of `train`, and that no run is left."""
    with pytest.raises(error) as caught:
        train(*args, **options)
    assert str(caught.value) == text
    assert not pathlib.Path("runs").exists()
    return caught.value


# ---- pairs

class Frame:
    """Like a pandas frame."""
    def __init__(self, **columns):
        self.columns, self._values = list(columns), columns

    def __getitem__(self, name):
        return self._values[name]

    def __len__(self):
        return len(self._values[self.columns[0]])

    def itertuples(self):
        raise AssertionError("frames are read by column")


class Dataset:
    """Like a Hugging Face or PyTorch data set: a length and items by index."""
    def __init__(self, items):
        self._items = items

    def __len__(self):
        return len(self._items)

    def __getitem__(self, i):
        return self._items[i]


SOURCES, TARGETS = zip(*PAIRS)


@pytest.mark.parametrize("pairs", [
    [list(pair) for pair in PAIRS], Frame(source=SOURCES, id=range(399), target=TARGETS),
    Frame(roman=SOURCES, number=TARGETS), Dataset(PAIRS), np.array(PAIRS),
    Dataset([{"source": source, "target": target, "id": 7} for source, target in PAIRS])])
def test_pairs_train_like_a_file(pairs):
    with open("roman.tsv", "w") as file:
        file.writelines(f"{source}\t{target}\n" for source, target in PAIRS)
    run = train(pairs)
    assert run.digest == train("pairs", data="roman.tsv").digest
    assert run.path == "runs/pairs-0" and run.config["data"] == "runs/pairs-0/data.jsonl"


def test_pairs_train_like_the_command():
    run = train(PAIRS)
    command("train", "pairs", "--data", f"{run.path}/data.jsonl", "--steps", "10", "--out", "there",
            *(f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()))
    assert tapehead.load("there").digest == run.digest


def test_a_moved_run_of_pairs_opens():
    path = train(PAIRS, out="a").path
    expected = tapehead.load(path).evaluate()
    os.rename("a", "b")
    assert tapehead.load("b").evaluate() == expected
    train(PAIRS[:200], out="a")
    assert tapehead.load("b").evaluate() == expected
    assert tapehead.train(resume="b", steps=12).steps == 12


def test_any_text_comes_back():
    pairs = [(f"{i}\t\"\n\u2028é😀", "\r\x00\\") for i in range(40)]
    run = train(pairs, steps=1)
    lines = pathlib.Path(run.path, "data.jsonl").read_bytes().decode().split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [
        {"source": source, "target": target} for source, target in pairs]
    assert run.sample(pairs[3][0])[0].prompt == pairs[3][0] + "→"


def test_validation_pairs():
    run = train(PAIRS, validation=PAIRS[:7])
    assert run.evaluate()["examples"] == 7
    assert run.config["held-out"] == f"{run.path}/validation.jsonl"
    assert train("pairs", data=f"{run.path}/data.jsonl", validation=PAIRS[:7]).digest == run.digest
    file = train(PAIRS, validation=pathlib.Path(run.path, "validation.jsonl"))
    assert file.digest == run.digest and file.config["held-out"] == run.config["held-out"]


def test_a_count_for_validation():
    assert train(PAIRS, validation=5).config["eval-examples"] == 5
    assert train("copy", length=3, validation=5).config["eval-examples"] == 5


class Name(str):
    pass


def test_kinds_of_strings():
    assert train([(np.str_(a), Name(b)) for a, b in PAIRS]).digest == train(PAIRS).digest


@pytest.mark.parametrize("pair, error, text", [
    (("XIV", 14), TypeError, "the target must be a string, got 14"),
    ((b"XIV", "14"), TypeError, "the source must be a string, got b'XIV'"),
    (("XIV", float("nan")), TypeError, "the target must be a string, got nan"),
    ("ab", TypeError, "expected a pair (source, target), got 'ab'"),
    (None, TypeError, "expected a pair (source, target), got None"),
    (("a",), TypeError, "expected a pair (source, target), got ('a',)"),
    (("a", "b", "c"), TypeError, "expected a pair (source, target), got ('a', 'b', 'c')"),
    ({"text": "a"}, TypeError, "expected the keys 'source' and 'target', got ['text']"),
    (("", "b"), ValueError, "the source is empty"),
    (("a", "\ud800"), ValueError, "the target isn't valid Unicode, got '\\ud800'"),
    (("a", "x" * 2000), ValueError,
     "needs a context of 2002 tokens, expected at most 1024; train with context 2002")])
def test_wrong_pairs(pair, error, text):
    between = " " if text.startswith("needs") else ": "
    refused(error, f"pairs[2]{between}{text}", [*PAIRS[:2], pair, *PAIRS[2:]])


def test_wrong_lists():
    refused(ValueError, "train: pairs has no pairs", [])
    refused(ValueError, "train: 0 of 2 pairs in the validation set (one in sixteen, by a hash of "
            "the source); add pairs, or pass validation=[(source, target), ...]",
            [("a", "b"), ("c", "d")])
    refused(ValueError, "validation[0]: 'y' (U+0079) isn't one of the model's 4 tokens; train with "
            "unknown to replace unknown tokens", [("a", "b"), ("c", "d")], validation=[("a", "y")])
    refused(ValueError, "train: the frame must have columns 'source' and 'target', or two columns, "
            "got ['a', 'b', 'c']", Frame(a=SOURCES, b=TARGETS, c=TARGETS))
    refused(ValueError, "pairs has no option layer; did you mean layers?", PAIRS, layer=2)


@pytest.mark.parametrize("task, text", [
    ((pair for pair in PAIRS), "a generator can be read only once; pass a list of its pairs"),
    (map(str, PAIRS), "a map can be read only once; pass a list of its pairs"),
    (dict(PAIRS), "expected pairs, got a dict; pass list(pairs.items()), or one split of a data "
     "set"),
    (Dataset, "expected a task's name, a list of pairs (source, target), a frame, or a function of "
     "rng, got the class Dataset"),
    (7, "expected a task's name, a list of pairs (source, target), a frame, or a function of rng, "
     "got a int"),
    ({1, 2}, "expected a task's name, a list of pairs (source, target), a frame, or a function of "
     "rng, got a set"),
    (None, 'expected a task, such as "copy", or resume=RUN')])
def test_wrong_tasks(task, text):
    refused(TypeError, f"train: {text}", task)


@pytest.mark.parametrize("options, error, text", [
    ({"validation": "x", "held_out": "y"}, TypeError,
     "train: validation and held_out can't be combined; remove one"),
    ({"validation": 0}, ValueError, "train: validation must be at least 1, got 0"),
    ({"validation": True}, TypeError, "train: validation must be a number of examples, a list of "
     "pairs (source, target), or a file, got True"),
    ({"data": "x"}, TypeError,
     "train: data can't be combined with examples from Python; remove it"),
    ({"on_evaluation": 7}, TypeError,
     "train: on_evaluation must be a function (step, metrics), got a int"),
    ({"resume": 7}, TypeError, "train: resume must be the path of a run, got a int"),
    ({"resume": "x", "validation": 7}, TypeError,
     "train: validation has no effect on a resumed run; remove it")])
def test_wrong_arguments(options, error, text):
    refused(error, text, PAIRS, **options)


def test_a_list_for_validation_of_another_task():
    refused(TypeError, "train: a list for validation needs pairs as examples; pass a number",
            "copy", validation=PAIRS)


# ---- functions

def test_a_function():
    run = train(roman, steps=300, eval_every=100, width=32, heads=2, lr=0.02, validation=100)
    assert run.path == "runs/roman-0" and run.config["function"] == "roman"
    assert run.evaluate()["examples"] == 100 and run.metrics[-1]["exact_match"] > 0.02
    assert run.config["data"] == "" and run.config["vocabulary"].startswith('["0","1",')
    held_out = [json.loads(line)["source"] for line in
                pathlib.Path(run.path, "validation.jsonl").read_text().splitlines()]
    drawn = []
    again = train(lambda rng: drawn.append(roman(rng)) or drawn[-1], steps=0 + 1)
    assert again.steps == 1 and set(held_out) & {source for source, _ in drawn[:10_000]}


def test_training_never_draws_a_validation_source(monkeypatch):
    seen = []
    draw = Drawing.__call__

    def spied(self, seed, step, number, attempt, stream=0):
        pair = draw(self, seed, step, number, attempt, stream)
        seen.append((stream, step, number, attempt, pair[0]))
        return pair
    monkeypatch.setattr(Drawing, "__call__", spied)
    run = train(roman, steps=30)
    held_out = {json.loads(line)["source"] for line in
                pathlib.Path(run.path, "validation.jsonl").read_text().splitlines()}
    drawn = [row[1:] for row in seen if row[0] == 0]
    last = {(step, number): source for step, number, _, source in drawn}
    assert len(last) == 30 * 8 and not held_out & set(last.values())
    assert any(attempt > 0 for _, _, attempt, _ in drawn)
    assert len(drawn) == len({row[:3] for row in drawn})  # each is drawn once


def test_threads_and_interruptions_change_nothing():
    runs = [train(roman, steps=20, threads=threads) for threads in (1, 2, 5)]
    train(roman, steps=8, out="part")
    runs.append(tapehead.train(roman, resume="part", steps=20))
    train(roman, steps=20, out="stopped", on_evaluation=lambda step, _: step == 10)
    assert tapehead.load("stopped").steps == 10
    runs.append(tapehead.train(roman, resume="stopped"))
    assert len({run.digest for run in runs}) == 1
    assert train(roman, steps=20, seed=2).digest != runs[0].digest


def test_generators_depend_only_on_the_example():
    kept = []

    def leaking(rng):
        kept.append(rng)
        [child] = (rng.spawn(1) if hasattr(rng, "spawn") else
                   map(np.random.default_rng, rng.bit_generator._seed_seq.spawn(1)))
        rng.integers(9, dtype="uint32", size=rng.integers(5))
        rng.standard_normal()
        return str(rng.integers(1 << 40)), str(child.integers(1 << 40))
    draw = Drawing(leaking)
    forward = [draw(1, step, number, 0) for step in range(3) for number in range(5)]
    backward = [draw(1, step, number, 0) for step in (2, 1, 0) for number in (4, 3, 2, 1, 0)]
    assert forward == backward[::-1] and len(set(forward)) == 15
    others = {draw(2, 0, 0, 0), draw(1, 0, 0, 1), draw(1, 0, 0, 0, stream=1)}
    assert len(others - set(forward)) == 3


def test_a_function_run_in_the_command(tmp_path):
    train(roman, out="a/roman")
    expected = json.loads(command("eval", "a/roman", "--json"))["exact_match"]
    shutil.move("a/roman", "b")
    assert json.loads(command("eval", "b", "--json"))["exact_match"] == expected
    assert "MMXXVI→" in command("sample", "b", "--prompt", "MMXXVI")
    command("attention", "b")
    command("inspect", "ablate", "b")
    command("report", "b", "--out", "b.html")
    pathlib.Path("other.tsv").write_text("XIV\t14\n")
    assert json.loads(command("eval", "b", "--data", "other.tsv", "--json"))["examples"] == 1
    error = command("train", "--resume", "b", "--steps", "20", "--change", "steps", fails=True)
    assert error.splitlines()[-1] == (
        "tapehead: the training examples come from the Python function roman; resume with "
        f'tapehead.train(roman, resume="{tmp_path}/b"); b is unchanged')
    assert tapehead.train(roman, resume="b", steps=20).steps == 20
    error = command("train", "pairs", "--function", "roman", fails=True)
    assert error == ("tapehead: --function roman needs a Python function: train with "
                     "tapehead.train(roman) in Python\n")


def test_other_callables():
    class Task:
        def __call__(self, rng):
            return roman(rng)
    assert train(Task()).path == "runs/Task-0"
    partial = train(functools.partial(lambda top, rng: roman(rng), 7))
    assert partial.path == "runs/lambda-0" and partial.config["function"] == "<lambda>"
    assert tapehead.train(Task(), resume="runs/Task-0", steps=12).steps == 12


def test_options_of_pairs():
    run = train(roman, vocabulary="IVXLCDM0123456789", context=40, loss_on="all")
    assert run.config["context"] == 40 and run.show([0, 1, 7]) == "IV0"
    run = train(lambda rng: (f"a {rng.integers(50)}", f"b{rng.integers(2)}"), tokens="words",
                vocabulary=["a", *map(str, range(50)), "b0", "b1"], arch="encoder")
    assert run.show([0, 51]) == "a b0"


def test_lengths_and_vocabulary_of_the_draws():
    run = train(roman)
    assert (run.config["source-length"], run.config["target-length"]) == (30, 8)
    run = train(lambda rng: (str(rng.integers(1000)), "ab"[rng.integers(2)]), arch="encoder")
    assert (run.config["source-length"], run.config["target-length"]) == (6, 1)


def failing(after, value):
    """Returns a function that returns `value`, or raises it, in training after `after` draws."""
    count = 0

    def f(rng):
        nonlocal count
        count += 1
        if count <= after + 10_010:
            return roman(rng)
        if isinstance(value, BaseException):
            raise value
        return value
    return f


@pytest.mark.parametrize("value, error, text", [
    (KeyError("x"), KeyError, "'x'"), (KeyboardInterrupt(), KeyboardInterrupt, ""),
    (None, TypeError, "f: the result: expected a pair (source, target), got None"),
    (("I", 1), TypeError, "f: the result: the target must be a string, got 1"),
    (b"I1", TypeError, "f: the result: expected a pair (source, target), got b'I1'")])
def test_an_exception_keeps_the_run(value, error, text):
    f = failing(30, value)
    with pytest.raises(error) as caught:
        train(f, out="x")
    assert str(caught.value) == text and tapehead.load("x").steps >= 3
    example, kept = caught.value.__notes__
    step = tapehead.load("x").steps
    assert example.startswith("example ") and example.endswith(f" of step {step} (seed 0)")
    assert kept == 'the run is kept: resume with tapehead.train(f, resume="x")'
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        resumed = tapehead.train(roman, resume="x")
    assert [str(each.message) for each in caught] == ["roman has changed since x was trained on it"]
    assert resumed.digest == train(roman).digest


def test_an_exception_before_the_first_step_leaves_nothing():
    error = refused(ZeroDivisionError, "division by zero", lambda rng: 1 / 0)
    assert error.__notes__ == ["example 0 of the draws before the first step"]
    error = refused(ZeroDivisionError, "x", failing(3, ZeroDivisionError("x")))
    assert error.__notes__[0].startswith("example ") and " of step 0 " in error.__notes__[0]


@pytest.mark.parametrize("pair, text", [
    (("IZ", "1"), "'Z' (U+005A) isn't one of the model's 17 tokens; train with unknown to replace "
     "unknown tokens, or name all tokens with vocabulary"),
    (("I" * 31, "1"), "a source of 31 tokens, expected at most 30; pass a larger source_length"),
    (("I", "1" * 9), "a target of 9 tokens, expected at most 8; pass a larger target_length")])
def test_later_examples_that_dont_suit_the_model(pair, text):
    with pytest.raises(ValueError) as caught:
        train(failing(30, pair), out="x")
    step = tapehead.load("x").steps
    number = str(caught.value).split()[2]
    assert str(caught.value) == (
        f"f: example {number} of step {step}: {text}; the run is kept: resume with "
        'tapehead.train(f, resume="x")')


def test_functions_without_enough_sources():
    refused(ValueError, "train: 1000 draws of f gave no source for validation (one in sixteen, by "
            "its hash); pass validation=[(source, target), ...]", named(lambda rng: ("a", "b")))
    refused(ValueError, "f: example 0 of step 0: the sources of 1000 draws are all in the "
            "validation set; use other validation examples", named(lambda rng: ("a", "b")),
            validation=[("a", "b")])
    assert train(lambda rng: ("ab"[rng.integers(2)], "b"), validation=[("a", "b")]).steps == 10


def named(f):
    f.__name__ = "f"
    return f


def test_a_function_of_changing_state():
    count = iter(range(100_000))
    with pytest.raises(ValueError, match=r"f returned \('0', 'a'\) and then \('10000', 'a'\) for "
                                         "the same rng; use no other random numbers"):
        train(named(lambda rng: (str(next(count)), "a")))


def test_resuming_with_the_wrong_examples():
    train(roman, out="x")
    with pytest.raises(TypeError, match="the examples of x come from the function roman; call "
                                        r'tapehead.train\(roman, resume="x"\)'):
        tapehead.train(resume="x")
    train("copy", length=3, out="y")
    with pytest.raises(TypeError, match='y has its own examples; call tapehead.train'):
        tapehead.train(roman, resume="y")
    with pytest.raises(ValueError, match="train reverse: the task in y is copy"):
        tapehead.train("reverse", resume="y")


# ---- resuming and callbacks, for any task

def test_resuming_a_built_in_task():
    whole = train("copy", length=3, steps=20)
    train("copy", length=3, steps=10, out="x")
    assert tapehead.train(resume="x", steps=20, threads=2).digest == whole.digest
    assert tapehead.train("copy", resume="x").digest == whole.digest  # complete
    assert tapehead.train(resume="x", steps=25, lr=0.5).config["lr"] == 0.5
    with pytest.raises(OSError, match="^nowhere: No such file or directory$"):
        tapehead.train(resume="nowhere")


def test_callbacks():
    steps, lines = [], []
    run = train("copy", length=3, on_step=lambda step, loss: steps.append((step, loss)),
                on_evaluation=lambda step, metrics: lines.append((step, metrics)))
    assert [step for step, _ in steps] == list(range(1, 11))
    recorded = [line for line in run.metrics if "val_loss" in line]
    assert lines == [(5, recorded[0]), (10, recorded[1])]


def test_an_exception_in_a_callback_keeps_the_run():
    def fail(step, metrics):
        raise LookupError(step)
    with pytest.raises(LookupError) as caught:
        train("copy", length=3, out="x", on_evaluation=fail)
    assert caught.value.__notes__ == ['the run is kept: resume with tapehead.train(resume="x")']
    assert tapehead.load("x").steps == 5


def test_interrupting_a_function_task():
    def stop(step, loss):
        if step == 7:
            os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(roman, steps=20, out="x", on_step=stop)
    assert 7 <= tapehead.load("x").steps < 20
    assert tapehead.train(roman, resume="x").digest == train(roman, steps=20).digest
