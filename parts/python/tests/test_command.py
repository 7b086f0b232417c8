"""Tests that runs through the command behave like runs with the compiled module."""
import os
import subprocess
import signal
import sys
import time
import zipfile

import numpy as np
import pytest

import tapehead
from tapehead import _command

COMMAND = os.environ.get("TAPEHEAD_COMMAND")
pytestmark = pytest.mark.skipif(not COMMAND, reason="TAPEHEAD_COMMAND names no command")
SETTINGS = dict(layers=2, width=16, steps=20, eval_every=10, seed=3)


@pytest.fixture(autouse=True)
def program(monkeypatch):
    monkeypatch.setattr(_command, "_program", lambda: COMMAND)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return tapehead.train("copy", **SETTINGS, out=tmp_path_factory.mktemp("runs") / "copy")


def equal_runs(ours, theirs):
    assert repr(ours) == repr(theirs) and ours.config == theirs.config
    assert ours.digest == theirs.digest and ours.metrics == theirs.metrics
    assert ours.weights.keys() == theirs.weights.keys()
    for path, weight in theirs.weights.items():
        np.testing.assert_array_equal(ours.weights[path], weight, strict=True)
        assert not ours.weights[path].flags.writeable


@pytest.mark.parametrize("checkpoint", ["last", "best", 10, "10"])
def test_a_run(run, checkpoint):
    ours, theirs = _command.load(run.path, checkpoint), tapehead.load(run.path, checkpoint)
    equal_runs(ours, theirs)
    assert ours.evaluate(64) == theirs.evaluate(64)
    by_length = theirs.evaluate(64, by="length")
    assert ours.evaluate(64, by="length") == by_length
    assert sum(row["examples"] for row in by_length["by_length"]["source"]) == 64


def test_accuracy_by_length(run):
    ours = _command.load(run.path)
    rows = run.evaluate(50, lengths="3..4")
    assert [(row["length"], row["examples"]) for row in rows] == [(3, 50), (4, 50)]
    for row in rows:
        low, high = row["interval"]
        assert 0 <= low <= row["exact_match"] <= high <= 1
    for lengths in ([3, 4], range(3, 5)):
        assert run.evaluate(50, lengths=lengths) == rows
    assert ours.evaluate(50, lengths="3..4") == ours.evaluate(50, lengths=[3, 4]) == rows
    for package in (run, ours):
        with pytest.raises(ValueError, match="lengths and by can't be combined"):
            package.evaluate(lengths="3..4", by="length")
    with pytest.raises(ValueError, match="unknown by 'width'; expected length"):
        run.evaluate(by="width")


def test_numpy_reads_an_archive_of_weights(run, tmp_path):
    file = tmp_path / "weights.npz"
    subprocess.run([COMMAND, "export", run.path, "--format", "npz", file], check=True)
    assert zipfile.ZipFile(file).testzip() is None
    with np.load(file) as arrays:
        assert arrays.files == sorted(run.weights)
        for name, weight in run.weights.items():
            np.testing.assert_array_equal(arrays[name], weight, strict=True)


@pytest.mark.parametrize("package", [tapehead, _command], ids=["compiled", "command"])
def test_data_that_has_moved(package, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "a/b/c").mkdir(parents=True)
    text = tmp_path / "here/text.txt"
    text.write_text("".join(f"line {i} of it\n" for i in range(200)))
    monkeypatch.chdir(tmp_path / "here")
    options = dict(layers=1, width=8, context=8, steps=2, eval_every=2)
    loss = package.train("text", data="text.txt", out="run", **options).evaluate()["loss"]
    monkeypatch.chdir(tmp_path / "a/b/c")
    path = str(tmp_path / "here/run")
    assert package.load(path).evaluate()["loss"] == loss
    moved = str(text.rename(tmp_path / "a/other.txt"))
    with pytest.raises(Exception, match="pass its new path with --data FILE"):
        package.load(path).evaluate()
    assert package.load(path, data=moved).evaluate()["loss"] == loss
    if package is tapehead:
        assert package.load(path).evaluate(data=moved)["loss"] == loss


def test_a_training(run, tmp_path):
    told = []
    ours = _command.train("copy", **SETTINGS, out=tmp_path / "a",
                          on_step=lambda step, loss: told.append((step, loss)))
    assert ours.digest == run.digest and ours.steps == 20
    assert told == [(line["step"], line["loss"]) for line in ours.metrics] and len(told) == 20


@pytest.mark.parametrize("package", [tapehead, _command], ids=["compiled", "command"])
def test_files_of_options(package, tmp_path):
    for name, text in ("a", "width = 16\nsteps = 4\n"), ("b", "steps = 2\n"):
        (tmp_path / f"{name}.toml").write_text(f'task = "copy"\n{text}')
    a, b = tmp_path / "a.toml", str(tmp_path / "b.toml")
    run = package.train("copy", config=a, layers=1, eval_every=2, out=tmp_path / "one")
    assert (run.steps, run.config["width"]) == (4, 16)
    run = package.train("copy", config=[a, b], layers=1, eval_every=2, out=tmp_path / "two")
    assert (run.steps, run.config["width"]) == (2, 16)


@pytest.mark.parametrize("options", [
    {}, {"prompt": "0123456789abcdef"}, {"samples": 9, "examples": 2, "seed": 7},
    {"temperature": 0.5, "top_k": 3, "top_p": 0.9}, {"prompt": "0123456789abcdef", "tokens": 3}])
def test_samples(run, options):
    ours = _command.load(run.path).sample(**options)
    assert ours == run.sample(**options) and isinstance(ours[0], tapehead.Sample)
    assert not any(sample.right for sample in ours)


@pytest.mark.parametrize("task, options", [
    ("text", [{"tokens": 40}, {"prompt": "be", "tokens": 20, "samples": 2}]),
    ("names", [{}, {"prompt": "an", "samples": 3}])])
def test_samples_of_texts(tmp_path, task, options):
    data = tmp_path / "data.txt"
    data.write_text("".join(f"{a}n{b}l{a}\n" for a in "aeiou" for b in "abcdefghijklmnopq"))
    run = tapehead.train(task, data=data, layers=1, width=16, steps=5, eval_every=5,
                         out=tmp_path / task)
    ours = _command.load(run.path)
    for chosen in options:
        assert ours.sample(**chosen) == run.sample(**chosen)


def test_attention(run):
    text = "0123456789abcdef" + "0123456789abcde"  # prompt and answer fill the context
    ours, theirs = _command.load(run.path).attention(text), run.attention(text)
    assert len(ours) == len(theirs) == 2
    for a, b in zip(ours, theirs):
        assert (a.layer, a.module) == (b.layer, b.module) and a.pattern(1) == b.pattern(1)
        assert a.queries == b.queries and a.keys == b.keys
        np.testing.assert_array_equal(a.weights, b.weights.numpy(), strict=True)
    assert "<iframe" in ours._repr_html_()


@pytest.mark.parametrize("call", [
    lambda package, run: package.load("runs/none"),
    lambda package, run: package.load(run.path, "worst"),
    lambda package, run: package.train("copi"),
    lambda package, run: package.train("copy", out=run.path),
    lambda package, run: package.train("copy", min_lr=-1),
    lambda package, run: package.load(run.path).sample("what?"),
    lambda package, run: package.load(run.path).sample("12")])
def test_errors(run, call):
    lines = []
    for package in _command, tapehead:
        with pytest.raises((ValueError, OSError)) as error:
            call(package, run)
        lines.append((error.type, str(error.value)))
    assert lines[0] == lines[1]


def test_resuming(tmp_path):
    digests = []
    for package in tapehead, _command:
        path = package.train("copy", **SETTINGS, out=tmp_path / package.__name__).path
        digests.append(package.train(resume=path, steps=25, threads=2).digest)
        assert package.train("copy", resume=path).steps == 25
    assert digests[0] == digests[1]


def test_training_that_needs_the_compiled_module(run):
    for what, call in (
            ("training on objects", lambda: _command.train([("a", "b")])),
            ("on_evaluation", lambda: _command.train("copy", on_evaluation=print)),
            ("a number or a list for validation", lambda: _command.train("copy", validation=3)),
            ("lr of a resumed run", lambda: _command.train(resume=run.path, lr=1))):
        with pytest.raises(ImportError) as error:
            call()
        assert str(error.value) == (f"train: {what} needs the compiled module: in a checkout, pip "
                                    "install ./parts/python")


def test_a_callback_stops_training(tmp_path):
    def stop(step, loss):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _command.train("copy", width=16, steps=10 ** 6, out=tmp_path / "a", on_step=stop)
    assert _command.load(tmp_path / "a").steps < 10 ** 6


def test_an_interrupt_stops_training_after_its_step(tmp_path):
    program = ("from tapehead import _command; import sys; _command._program = lambda: sys.argv[1]; "
               "_command.train('copy', width=16, steps=10 ** 6, eval_every=100, out=sys.argv[2])")
    process = subprocess.Popen([sys.executable, "-c", program, COMMAND, tmp_path / "a"],
                               stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "a/checkpoint").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert 100 <= _command.load(tmp_path / "a").steps < 10 ** 6
